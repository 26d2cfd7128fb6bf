// What the compiler adds where objects are built and destroyed.
#include "unit.hpp"

namespace rq {

CXType Unit::element_type(CXType type)
{
    type = clang_getCanonicalType(type);
    for(;;)
    {
        CXType e = clang_getArrayElementType(type);
        if(e.kind == 0)
            return type;
        type = clang_getCanonicalType(e);
    }
}

namespace {
struct Members
{
    std::vector<CXCursor> bases, fields, methods;
};
Members members_of(CXType type)
{
    Members m;
    auto    push = [](CXCursor c, CXClientData d) -> int {
        static_cast<std::vector<CXCursor>*>(d)->push_back(c);
        return VisitContinue;
    };
    clang_visitCXXBaseClasses(type, push, &m.bases);
    clang_Type_visitFields(type, push, &m.fields);
    clang_visitCXXMethods(type, push, &m.methods);
    return m;
}
}

// What a destruction of this type calls: its destructor, or the members' when the type's own is implicit
// and never declared. Empty for a trivial destructor, which the compiler never calls.
std::vector<int> Unit::destructors_of(CXType type)
{
    type          = element_type(type);
    CXCursor decl = clang_getTypeDeclaration(type);
    if(!is_record(decl.kind) || is_pattern(decl))
        return {};
    const void* key   = clang_getCanonicalCursor(decl).data[0];
    ClassFacts& facts = classes_[key];
    if(facts.known)
        return facts.destructor;
    facts.known = true; // a recursive type ends here
    Members          m = members_of(type);
    CXCursor         own = clang_getNullCursor();
    for(const CXCursor& method : m.methods)
        if(method.kind == K_Destructor)
            own = method;
    std::vector<int> parts;
    for(const auto* list : {&m.bases, &m.fields})
        for(const CXCursor& member : *list)
            for(int d : destructors_of(clang_getCursorType(member)))
                parts.push_back(d);
    std::vector<int> result;
    bool             declared = !clang_Cursor_isNull(own);
    if(declared && !clang_CXXMethod_isDefaulted(own))
        result = {intern(own)};
    else if(declared && (!parts.empty() || clang_CXXMethod_isVirtual(own)))
    {
        // An implicit destructor that the unit never needed has no body to go through.
        int f = intern(own);
        if(f >= 0 && (functions_[size_t(f)].flags & F_Defined))
            result = {f};
        else
            result = parts;
    }
    else
        result = parts;
    return classes_[key].destructor = result;
}

void Unit::implicit_destruction(int f)
{
    CXCursor c      = functions_[size_t(f)].cursor;
    CXType   type   = clang_getCursorType(clang_getCursorSemanticParent(c));
    Members  m      = members_of(type);
    for(const auto* list : {&m.fields, &m.bases})
        for(const CXCursor& member : *list)
            destroy(clang_getCursorType(member), c, 0);
}

// Whether what stands below a member is its initialiser, and not the size of an array or of a bit field.
bool Unit::initialises(const CXCursor& part)
{
    if(!clang_isExpression(part.kind))
        return false;
    Site before  = site_of(part);
    before.end   = before.begin;
    before.begin = before.begin > 64 ? before.begin - 64 : 0;
    std::string text = source_text(before);
    return text.empty() || (text.back() != '[' && text.back() != ':');
}

// Whether building a base or member may throw: unless its default constructor says that it cannot.
bool Unit::may_throw(const CXCursor& member, bool written)
{
    CXType type = element_type(clang_getCursorType(member));
    if(!is_record(clang_getTypeDeclaration(type).kind))
        return false;
    if(written)
        return true;
    for(const CXCursor& method : members_of(type).methods)
        if(method.kind == K_Constructor && clang_CXXConstructor_isDefaultConstructor(method))
            return !says_noexcept(method);
    return false;
}

// Bases and members that the constructor does not name are built by their default constructor (or copied by
// an implicit copy constructor); an in-class initialiser runs where no written initialiser replaces it.
void Unit::implicit_construction(int f, const std::vector<CXCursor>& written)
{
    CXCursor c        = functions_[size_t(f)].cursor;
    bool     copying  = clang_CXXConstructor_isCopyConstructor(c) || clang_CXXConstructor_isMoveConstructor(c);
    bool     implicit = clang_CXXMethod_isDefaulted(c) != 0;
    CXType   type     = clang_getCursorType(clang_getCursorSemanticParent(c));
    Members  m        = members_of(type);
    auto     named    = [&](const CXCursor& member) {
        CXCursor target = member.kind == K_BaseSpecifier ? clang_getTypeDeclaration(clang_getCanonicalType(clang_getCursorType(member))) : member;
        const void* key = clang_getCanonicalCursor(target).data[0];
        for(const CXCursor& w : written)
        {
            if(clang_getCanonicalCursor(w).data[0] == key)
                return true;
            // A delegating constructor names the class itself and builds nothing more here.
            if(clang_getCanonicalCursor(w).data[0] == clang_getCanonicalCursor(clang_getTypeDeclaration(type)).data[0])
                return true;
        }
        return false;
    };
    bool has_body = false;
    for(const CXCursor& k : children_of(c))
        if(clang_isStatement(k.kind))
            has_body = !children_of(k).empty();
    // What is built before the last step that may throw is destroyed when it does.
    std::vector<CXCursor> steps = m.bases;
    steps.insert(steps.end(), m.fields.begin(), m.fields.end());
    size_t last_throwing = has_body ? steps.size() : 0;
    for(size_t i = steps.size(); !has_body && i-- > 0;)
        if(may_throw(steps[i], named(steps[i])))
        {
            last_throwing = i;
            break;
        }
    for(size_t i = 0; i < last_throwing; ++i)
        destroy(clang_getCursorType(steps[i]), c, 0);
    for(const auto* list : {&m.bases, &m.fields})
        for(const CXCursor& member : *list)
        {
            bool base = member.kind == K_BaseSpecifier;
            if(!(copying && implicit) && named(member))
                continue;
            bool initialised = false;
            if(!base && !(copying && implicit))
                for(const CXCursor& k : children_of(member))
                    if(initialises(k))
                    {
                        initialised = true;
                        elide_      = true;
                        expression(k, 0);
                        elide_ = false;
                    }
            if(initialised)
                continue;
            CXType t = element_type(clang_getCursorType(member));
            if(!is_record(clang_getTypeDeclaration(t).kind))
                continue;
            for(const CXCursor& method : members_of(t).methods)
            {
                if(method.kind != K_Constructor || clang_CXXMethod_isDeleted(method))
                    continue;
                bool match = copying && implicit ? clang_CXXConstructor_isCopyConstructor(method)
                                                       || clang_CXXConstructor_isMoveConstructor(method)
                                                 : clang_CXXConstructor_isDefaultConstructor(method);
                if(!match)
                    continue;
                int g = intern(method);
                if(g >= 0 && !calls_nothing(g))
                    add(g, EdgeKind::Call, c, 0);
            }
        }
}

// Whether a member function copies or moves: a constructor, or an assignment.
bool Unit::is_copy(const CXCursor& method, bool assignment)
{
    if(assignment)
        return method.kind == K_Method
               && (clang_CXXMethod_isCopyAssignmentOperator(method) || clang_CXXMethod_isMoveAssignmentOperator(method));
    return method.kind == K_Constructor
           && (clang_CXXConstructor_isCopyConstructor(method) || clang_CXXConstructor_isMoveConstructor(method));
}

// A compiler-provided special member that would be empty is never emitted.
bool Unit::calls_nothing(int f)
{
    CXCursor c = functions_[size_t(f)].cursor;
    if(c.kind != K_Constructor && c.kind != K_Method && c.kind != K_Destructor)
        return false;
    if(!clang_CXXMethod_isDefaulted(c))
        return false;
    if(c.kind == K_Destructor)
        return destructors_of(clang_getCursorType(clang_getCursorSemanticParent(c))).empty();
    if(!(functions_[size_t(f)].flags & F_Defined))
        return true; // declared by the compiler and never needed
    CXType      type    = clang_getCursorType(clang_getCursorSemanticParent(c));
    Members     m       = members_of(type);
    bool        assigning = c.kind == K_Method;
    bool        copying   = assigning || !clang_CXXConstructor_isDefaultConstructor(c);
    for(const CXCursor& method : m.methods)
        if(clang_CXXMethod_isVirtual(method))
            return false;
    for(const auto* list : {&m.bases, &m.fields})
        for(const CXCursor& member : *list)
        {
            if(!copying && member.kind == K_Field)
                for(const CXCursor& k : children_of(member))
                    if(initialises(k))
                        return false;
            CXType t = element_type(clang_getCursorType(member));
            if(!is_record(clang_getTypeDeclaration(t).kind))
                continue;
            for(const CXCursor& method : members_of(t).methods)
            {
                bool relevant = copying ? is_copy(method, assigning)
                                        : method.kind == K_Constructor && clang_CXXConstructor_isDefaultConstructor(method);
                if(relevant && !clang_CXXMethod_isDeleted(method)
                   && !(clang_CXXMethod_isDefaulted(method) && intern(method) >= 0
                        && calls_nothing(intern(method))))
                    return false;
            }
        }
    return true;
}

// A constructor stores the table of virtual functions, so whoever constructs may run any of them.
void Unit::virtual_table(int f)
{
    CXCursor c    = functions_[size_t(f)].cursor;
    CXType   type = clang_getCursorType(clang_getCursorSemanticParent(c));
    for(const CXCursor& method : members_of(type).methods)
        if(clang_CXXMethod_isVirtual(method))
            add(intern(method), EdgeKind::Reference, c, 0);
}

static bool is_final(const CXCursor& declaration)
{
    for(const CXCursor& k : children_of(declaration))
        if(k.kind == K_FinalAttr)
            return true;
    return false;
}

// Whether no other class can bring another function in this one's place.
static bool is_last(const CXCursor& method)
{
    return is_final(method) || is_final(clang_getCursorSemanticParent(method));
}

static CXCursor class_of(const CXCursor& expression)
{
    return clang_getTypeDeclaration(clang_getCanonicalType(clang_getCursorType(expression)));
}

// The object is known to be of just this class: a variable, a member, or what a call has made.
static bool is_the_object_itself(CXCursor c)
{
    c = unwrapped(c);
    while(is_explicit_cast(c.kind))
    {
        // A cast to the class that it has already; one to a base or from it says something else.
        std::vector<CXCursor> kids = children_of(c);
        if(kids.empty() || !clang_equalCursors(class_of(c), class_of(unwrapped(kids.back()))))
            return false;
        c = unwrapped(kids.back());
    }
    if(c.kind == K_Call)
    {
        int result = clang_getCanonicalType(clang_getResultType(clang_getCursorType(clang_getCursorReferenced(c)))).kind;
        if(result == T_LvalueReference || result == T_RvalueReference)
            return false;
    }
    else if(c.kind != K_DeclRef && c.kind != K_MemberRefExpr)
        return false;
    else
        c = clang_getCursorReferenced(c); // a variable that is a reference is of no record type
    return is_record(class_of(c).kind);
}

// Whether a call goes through the object's table of virtual functions. It does not where the function is
// named with its class (`p->Base::f()`) or the class of the object is known.
bool Unit::through_table(const CXCursor& call, const CXCursor& callee, const std::vector<CXCursor>& kids)
{
    if(callee.kind == K_Constructor || !clang_CXXMethod_isVirtual(callee) || is_last(callee))
        return false;
    CXCursor member = kids.empty() ? clang_getNullCursor() : unwrapped(kids[0]);
    if(member.kind != K_MemberRefExpr)
        return clang_Cursor_getNumArguments(call) < 1 || !is_the_object_itself(clang_Cursor_getArgument(call, 0));
    std::vector<CXCursor> parts = children_of(member);
    for(const CXCursor& part : parts)
        if(part.kind == K_TypeRef || part.kind == K_TemplateRef || part.kind == K_NamespaceRef)
            return false;
    return parts.empty() || !is_the_object_itself(parts[0]);
}

// Whether `delete` of a pointer to this type asks the object for its destructor.
bool Unit::destroyed_through_table(CXType type)
{
    CXCursor decl = clang_getTypeDeclaration(clang_getCanonicalType(type));
    if(!is_record(decl.kind))
        return false;
    for(const CXCursor& method : members_of(clang_getCanonicalType(type)).methods)
        if(method.kind == K_Destructor)
            return clang_CXXMethod_isVirtual(method) && !is_last(method);
    return false;
}

void Unit::destroy(CXType type, const CXCursor& at, int dead)
{
    for(int d : destructors_of(type))
        add(d, EdgeKind::Call, at, dead);
}

} // namespace rq

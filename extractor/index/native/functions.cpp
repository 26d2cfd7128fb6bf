// Functions of a unit: where they come from, how they are named, what the compiler adds to their bodies.
#include "unit.hpp"

#include <algorithm>

namespace rq {

std::vector<CXCursor> children_of(const CXCursor& c)
{
    std::vector<CXCursor> kids;
    clang_visitChildren(
        c,
        [](CXCursor k, CXCursor, CXClientData d) -> int {
            static_cast<std::vector<CXCursor>*>(d)->push_back(k);
            return VisitContinue;
        },
        &kids);
    return kids;
}

static bool is_function(int kind)
{
    return kind == K_Function || kind == K_Method || kind == K_Constructor || kind == K_Destructor
           || kind == K_Conversion;
}

static bool is_record(int kind)
{
    return kind == K_Struct || kind == K_Class || kind == K_Union;
}

static unsigned attribute_flags(const CXCursor& c)
{
    unsigned flags = 0;
    if(!clang_Cursor_hasAttrs(c))
        return flags;
    clang_visitChildren(
        c,
        [](CXCursor k, CXCursor, CXClientData d) -> int {
            unsigned& f = *static_cast<unsigned*>(d);
            if(k.kind == K_GlobalAttr)
                f |= F_Kernel;
            else if(k.kind == K_DeviceAttr)
                f |= F_Device;
            else if(k.kind == K_HostAttr)
                f |= F_Host;
            return VisitContinue;
        },
        &flags);
    return flags;
}

// On the host side a kernel carries the symbol of its launch stub; the kernel's own drops the mark. The length
// before the name ends with the stub's; digits before it may belong to an enclosing name (`_GLOBAL__N_1`).
static std::string kernel_symbol(std::string mangled, const std::string& name)
{
    static const std::string mark = "__device_stub__";
    size_t                   at   = mangled.find(mark + name);
    if(at == std::string::npos)
        return mangled;
    std::string stub = std::to_string(mark.size() + name.size());
    if(at >= stub.size() && mangled.compare(at - stub.size(), stub.size(), stub) == 0)
        return mangled.substr(0, at - stub.size()) + std::to_string(name.size()) + mangled.substr(at + mark.size());
    return mangled.substr(0, at) + mangled.substr(at + mark.size());
}

// A template's own pattern has dependent names; only what was instantiated from it says anything.
bool Unit::is_pattern(CXCursor c)
{
    const void* key = c.data[0];
    auto        it  = pattern_.find(key);
    if(it != pattern_.end())
        return it->second;
    bool r = false;
    if(c.kind == K_FunctionTemplate || c.kind == K_ClassTemplate || c.kind == K_ClassPartial)
        r = true;
    else if(c.kind != K_TranslationUnit && c.kind > 0 && !clang_Cursor_isNull(c))
    {
        CXCursor p = clang_getCursorSemanticParent(c);
        if(!clang_Cursor_isNull(p) && p.kind != K_TranslationUnit && p.kind != K_Namespace)
            r = is_pattern(p);
    }
    pattern_[key] = r;
    return r;
}

// Whether other units can have the same function. libclang answers "no linkage" for members of local classes
// and for what is instantiated with them, whether the function around them is shared between units (inline, or
// instantiated from a template) or not; the compiler shares them exactly when it is.
bool Unit::externally_visible(CXCursor c)
{
    int linkage = clang_getCursorLinkage(c);
    if(linkage == LinkageExternal)
        return true;
    if(linkage != LinkageNone)
        return false;
    bool local = false;
    for(CXCursor p = clang_getCursorSemanticParent(c); !clang_Cursor_isNull(p) && p.kind != K_TranslationUnit && p.kind > 0;
        p          = clang_getCursorSemanticParent(p))
        if(is_function(p.kind))
        {
            bool shared = clang_Cursor_isFunctionInlined(p)
                          || !clang_Cursor_isNull(clang_getSpecializedCursorTemplate(p));
            if(!shared || !externally_visible(p))
                return false;
            local = true;
            break;
        }
    bool has_types = false;
    if(is_function(c.kind))
    {
        int n = clang_Cursor_getNumTemplateArguments(c);
        for(int i = 0; i < n; ++i)
            if(clang_Cursor_getTemplateArgumentKind(c, unsigned(i)) == 1)
            {
                has_types = true;
                if(!type_visible(clang_Cursor_getTemplateArgumentType(c, unsigned(i)), 0))
                    return false;
            }
        // Of a method libclang gives no template arguments; those that matter show in its parameters.
        if(n < 0 && !clang_Cursor_isNull(clang_getSpecializedCursorTemplate(c)))
        {
            has_types = true;
            int parameters = clang_Cursor_getNumArguments(c);
            for(int i = 0; i < parameters; ++i)
                if(!type_visible(clang_getCursorType(clang_Cursor_getArgument(c, unsigned(i))), 0))
                    return false;
        }
        CXCursor parent = clang_getCursorSemanticParent(c);
        if(is_record(parent.kind))
        {
            has_types = has_types || clang_Type_getNumTemplateArguments(clang_getCursorType(parent)) > 0;
            if(!local && !type_visible(clang_getCursorType(parent), 0))
                return false;
        }
    }
    return local || has_types;
}

bool Unit::type_visible(CXType type, int depth)
{
    type = clang_getCanonicalType(type);
    for(CXType inner = clang_getPointeeType(type); inner.kind != 0; inner = clang_getPointeeType(type))
        type = clang_getCanonicalType(inner);
    CXCursor decl = clang_getTypeDeclaration(type);
    if(depth > 8 || (!is_record(decl.kind) && decl.kind != 5))
        return true;
    int linkage = clang_getCursorLinkage(decl);
    if(linkage == LinkageInternal || linkage == LinkageUniqueExternal)
        return false;
    if(linkage == LinkageNone)
    {
        bool inside = false;
        for(CXCursor p = clang_getCursorSemanticParent(decl);
            !clang_Cursor_isNull(p) && p.kind != K_TranslationUnit && p.kind > 0; p = clang_getCursorSemanticParent(p))
            if(is_function(p.kind))
            {
                bool shared = clang_Cursor_isFunctionInlined(p)
                              || !clang_Cursor_isNull(clang_getSpecializedCursorTemplate(p));
                if(!shared || !externally_visible(p))
                    return false;
                inside = true;
                break;
            }
        if(!inside && clang_Type_getNumTemplateArguments(type) <= 0)
            return false;
    }
    int n = clang_Type_getNumTemplateArguments(type);
    for(int i = 0; i < n; ++i)
        if(!type_visible(clang_Type_getTemplateArgumentAsType(type, unsigned(i)), depth + 1))
            return false;
    return true;
}

Site Unit::site_of(const CXCursor& c)
{
    Site          s;
    CXSourceRange r = clang_getCursorExtent(c);
    CXFile        f = nullptr, g = nullptr;
    unsigned      col;
    clang_getExpansionLocation(clang_getRangeStart(r), &f, &s.line, &col, &s.begin);
    clang_getExpansionLocation(clang_getRangeEnd(r), &g, &s.end_line, &col, &s.end);
    s.file = files.index_of(f);
    if(f != g)
    {
        s.end_line = s.line;
        s.end      = s.begin;
    }
    return s;
}

int Unit::intern(CXCursor c)
{
    if(is_pattern(c))
        return -1;
    CXCursor    canonical = clang_getCanonicalCursor(c);
    const void* key       = canonical.data[0];
    auto        it        = by_decl_.find(key);
    if(it != by_decl_.end())
        return it->second;
    int id        = int(functions_.size());
    by_decl_[key] = id;
    functions_.emplace_back();

    CXCursor def = clang_getCursorDefinition(c);
    Function f;
    f.flags = attribute_flags(c);
    if(!clang_Cursor_isNull(def) && is_function(def.kind))
    {
        f.cursor = def;
        f.flags |= F_Defined | attribute_flags(def);
    }
    else
        f.cursor = c;
    if(f.flags & F_Kernel)
        f.flags &= ~unsigned(F_Device | F_Host);
    f.extent   = site_of(f.cursor);
    f.mangled  = kernel_symbol(take(clang_Cursor_getMangling(f.cursor)), take(clang_getCursorSpelling(f.cursor)));
    if(!externally_visible(f.cursor))
        f.flags |= F_Internal;
    if(clang_Cursor_isFunctionInlined(f.cursor))
        f.flags |= F_Inline;
    CXCursor pattern = clang_getSpecializedCursorTemplate(f.cursor);
    if(!clang_Cursor_isNull(pattern))
    {
        // An explicit specialization stands at a place of its own; an instantiation at its pattern's.
        CXCursor source = clang_getCursorDefinition(pattern);
        Site     where  = site_of(clang_Cursor_isNull(source) ? pattern : source);
        if(where.file == f.extent.file && where.end == f.extent.end)
        {
            f.flags |= F_Instantiation;
            if(where.begin <= f.extent.begin)
                f.extent = where;
        }
    }
    if(f.extent.file >= 0 && files[f.extent.file].project)
        f.flags |= F_Project;
    CXCursor parent = clang_getCursorSemanticParent(f.cursor);
    if(is_record(parent.kind) && take(clang_getCursorSpelling(parent)).find("(lambda") != std::string::npos)
        f.flags |= F_Lambda;
    if(f.mangled.empty())
    {
        // A template's pattern, reached as the plain function inside it: only its instantiations have symbols.
        functions_.pop_back();
        by_decl_[key] = -1;
        return -1;
    }
    if(f.mangled.compare(0, 2, "_Z") != 0)
        f.flags |= F_CLinkage;
    std::string identity = f.mangled;
    if((f.flags & F_Internal) && f.extent.file >= 0)
        identity += '\n' + files[f.extent.file].name;
    // Lambdas outside any function with external linkage share one mangled name.
    if((f.flags & F_Internal) && (f.flags & F_Lambda))
        identity += ':' + std::to_string(f.extent.begin) + ':' + take(clang_getCursorUSR(f.cursor));
    f.id = hash63(identity);

    bool body_matters = (f.flags & F_Defined) && !is_pattern(f.cursor)
                        && (device_ || !(f.flags & F_Kernel));
    functions_[size_t(id)] = std::move(f);
    if(body_matters)
        work_.push_back(id);
    return id;
}

int Unit::intern_variable(CXCursor c)
{
    CXCursor    canonical = clang_getCanonicalCursor(c);
    const void* key       = canonical.data[0];
    auto        it        = by_decl_.find(key);
    if(it != by_decl_.end())
        return it->second;
    CXCursor def = clang_getCursorDefinition(c);
    if(clang_Cursor_isNull(def))
        def = c;
    if(is_pattern(def))
        return -1;
    CXCursor scope = clang_getCursorSemanticParent(def);
    if(is_function(scope.kind) || scope.kind == K_FunctionTemplate)
        return -1; // a static local: its initialiser is visited where it stands
    CXCursor init = clang_Cursor_getVarDeclInitializer(def);
    Site     at   = site_of(def);
    if(clang_Cursor_isNull(init) || at.file < 0 || !files[at.file].project)
    {
        by_decl_[key] = -1;
        return -1;
    }
    int id        = int(functions_.size());
    by_decl_[key] = id;
    Function f;
    f.cursor  = def;
    f.flags   = F_Defined | F_Variable | F_Project;
    f.extent  = at;
    f.mangled = take(clang_Cursor_getMangling(def));
    if(clang_getCursorLinkage(def) != LinkageExternal)
        f.flags |= F_Internal;
    std::string identity = f.mangled;
    if(f.flags & F_Internal)
        identity += '\n' + files[at.file].name;
    f.id = hash63(identity);
    functions_.push_back(std::move(f));
    work_.push_back(id);
    return id;
}

void Unit::root(CXCursor c)
{
    if(!is_function(c.kind) || is_pattern(c))
        return;
    if(!roots_seen_.insert(c.data[0]).second)
        return;
    CXCursor def = clang_getCursorDefinition(c);
    if(clang_Cursor_isNull(def) || !is_function(def.kind))
        return;
    Site at = site_of(def);
    if(at.file < 0 || !files[at.file].project)
        return;
    int f = intern(def);
    if(f >= 0)
        functions_[size_t(f)].flags |= F_Seen;
}

void Unit::visit_function(int f)
{
    current_        = f;
    pending_callee_ = nullptr;
    elide_          = false;
    CXCursor              c = functions_[size_t(f)].cursor;
    std::vector<CXCursor> written;
    for(const CXCursor& k : children_of(c))
    {
        if(clang_isAttribute(k.kind) || k.kind == K_Parm || k.kind == K_TypeRef)
        {
            if(k.kind == K_TypeRef && c.kind == K_Constructor)
                written.push_back(clang_getCursorReferenced(k));
            continue;
        }
        if(k.kind == K_MemberRef)
            written.push_back(clang_getCursorReferenced(k));
        else if(clang_isStatement(k.kind))
        {
            if(!functions_[size_t(f)].body)
                functions_[size_t(f)].body = site_of(k).begin;
            statement(k, 0);
        }
        else if(clang_isExpression(k.kind))
        {
            elide_ = true; // a member or base is built in place
            expression(k, 0);
            elide_ = false;
        }
    }
    if(c.kind == K_Constructor)
    {
        implicit_construction(f, written);
        virtual_table(f);
    }
    else if(c.kind == K_Destructor)
        implicit_destruction(f);
    else if((functions_[size_t(f)].flags & F_Lambda) && c.kind == K_Conversion)
        lambda_member(c, "__invoke", EdgeKind::Reference);
    else if((functions_[size_t(f)].flags & F_Lambda) && take(clang_getCursorSpelling(c)) == "__invoke")
        lambda_member(c, "operator()", EdgeKind::Call);
}

// A captureless lambda as a function pointer: the conversion yields a static function that the compiler
// provides, and that one runs the call operator.
void Unit::lambda_member(const CXCursor& from, const char* name, EdgeKind kind)
{
    struct Found { Unit* unit; const char* name; EdgeKind kind; } found{this, name, kind};
    clang_visitCXXMethods(
        clang_getCursorType(clang_getCursorSemanticParent(from)),
        [](CXCursor m, CXClientData d) -> int {
            Found* x = static_cast<Found*>(d);
            if(m.kind == K_Method && take(clang_getCursorSpelling(m)) == x->name)
                x->unit->add(x->unit->intern(m), x->kind, m, 0);
            return VisitContinue;
        },
        &found);
}

void Unit::visit_variable(int f)
{
    current_        = f;
    pending_callee_ = nullptr;
    elide_          = false;
    expression(clang_Cursor_getVarDeclInitializer(functions_[size_t(f)].cursor), 0);
}

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

// Whether building a base or member may throw: unless its default constructor says that it cannot.
bool Unit::may_throw(const CXCursor& member, bool written)
{
    CXType type = element_type(clang_getCursorType(member));
    if(!is_record(clang_getTypeDeclaration(type).kind))
        return false;
    if(written)
        return true;
    const int dynamic_none = 1, basic_noexcept = 4, no_throw = 9;
    for(const CXCursor& method : members_of(type).methods)
        if(method.kind == K_Constructor && clang_CXXConstructor_isDefaultConstructor(method))
        {
            int specification = clang_getCursorExceptionSpecificationType(method);
            return specification != dynamic_none && specification != basic_noexcept && specification != no_throw;
        }
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
                    if(clang_isExpression(k.kind))
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
    bool        copying = !clang_CXXConstructor_isDefaultConstructor(c);
    for(const CXCursor& method : m.methods)
        if(clang_CXXMethod_isVirtual(method))
            return false;
    for(const auto* list : {&m.bases, &m.fields})
        for(const CXCursor& member : *list)
        {
            if(!copying && member.kind == K_Field)
                for(const CXCursor& k : children_of(member))
                    if(clang_isExpression(k.kind))
                        return false;
            CXType t = element_type(clang_getCursorType(member));
            if(!is_record(clang_getTypeDeclaration(t).kind))
                continue;
            for(const CXCursor& method : members_of(t).methods)
            {
                if(method.kind != K_Constructor && method.kind != K_Method)
                    continue;
                bool relevant = method.kind == K_Constructor
                                && (copying ? !clang_CXXConstructor_isDefaultConstructor(method)
                                            : clang_CXXConstructor_isDefaultConstructor(method));
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

void Unit::destroy(CXType type, const CXCursor& at, int dead)
{
    for(int d : destructors_of(type))
        add(d, EdgeKind::Call, at, dead);
}

void Unit::collect(CXIndex index)
{
    IndexerCallbacks callbacks = {};
    callbacks.declaration      = [](CXClientData d, const CXIdxDeclInfo* i) {
        Unit* u = static_cast<Unit*>(d);
        if(i->cursor.kind == K_Var)
        {
            if(clang_Cursor_hasVarDeclGlobalStorage(i->cursor))
                u->intern_variable(i->cursor);
        }
        else if(i->is_definition)
            u->root(i->cursor);
    };
    callbacks.entered_main_file = [](CXClientData d, CXFile f, void*) -> void* {
        Unit* u       = static_cast<Unit*>(d);
        u->main_file_ = u->files.index_of(f);
        return nullptr;
    };
    callbacks.reference = [](CXClientData d, const CXIdxEntityRefInfo* i) {
        if(i->container)
            static_cast<Unit*>(d)->root(i->container->cursor);
    };
    CXIndexAction action = clang_IndexAction_create(index);
    // Option 4: index implicit template instantiations.
    clang_indexTranslationUnit(action, this, &callbacks, sizeof callbacks, 4, tu_);
    clang_IndexAction_dispose(action);
    while(!work_.empty())
    {
        int f = work_.front();
        work_.pop_front();
        if(functions_[size_t(f)].flags & F_Variable)
            visit_variable(f);
        else
            visit_function(f);
    }
}

} // namespace rq

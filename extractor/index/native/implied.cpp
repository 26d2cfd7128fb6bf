// Calls that no child of a cursor shows: what initialiser lists, range loops and allocations imply.
#include "unit.hpp"

namespace rq {

static std::vector<CXCursor> collected(unsigned (*visit)(CXType, CXFieldVisitor, CXClientData), CXType type)
{
    std::vector<CXCursor> found;
    visit(
        type,
        [](CXCursor c, CXClientData d) -> int {
            static_cast<std::vector<CXCursor>*>(d)->push_back(c);
            return VisitContinue;
        },
        &found);
    return found;
}

CXCursor unwrapped(CXCursor c)
{
    while(c.kind == K_Unexposed || c.kind == K_Paren || is_substituted(c))
    {
        std::vector<CXCursor> inner = children_of(c);
        if(inner.size() != 1)
            break;
        c = inner[0];
    }
    return c;
}

bool holds_call(const CXCursor& c)
{
    if(c.kind == K_Call || c.kind == K_New)
        return true;
    for(const CXCursor& k : children_of(c))
        if(k.kind != K_Lambda && holds_call(k))
            return true;
    return false;
}

// libclang shows a list as it is written: without the conversions, copies and overloads that its elements turn
// out to need. The indexer sees those, and reports each with its place.
void Unit::initializer_list(const CXCursor& c, int dead)
{
    bool in_place = elide_, outermost = !in_list_;
    in_list_      = true;
    CXType                type    = clang_getCanonicalType(clang_getCursorType(c));
    CXType                element = clang_getArrayElementType(type);
    std::vector<CXCursor> fields, bases, named;
    if(element.kind == 0 && is_record(clang_getTypeDeclaration(type).kind))
    {
        fields = collected(clang_Type_visitFields, type);
        bases  = collected(clang_visitCXXBaseClasses, type);
    }
    std::vector<std::pair<CXCursor, CXType>> elements;
    size_t count = 0;
    for(const CXCursor& k : children_of(c))
    {
        if(k.kind == K_MemberRef)
            named.push_back(clang_getCursorReferenced(k));
        if(!clang_isExpression(k.kind) || k.kind == K_MemberRef)
            continue;
        size_t   field  = count++ - bases.size();
        CXType   target = field < fields.size() ? clang_getCursorType(fields[field]) : element;
        CXCursor lambda = unwrapped(k);
        if(lambda.kind == K_Lambda && clang_getPointeeType(clang_getCanonicalType(target)).kind != 0)
            for(const CXCursor& method : collected(clang_visitCXXMethods, clang_getCursorType(lambda)))
                if(method.kind == K_Conversion)
                    add(intern(method), EdgeKind::Call, k, dead);
        elide_ = true;
        expression(k, dead);
        elements.push_back({k, target});
    }
    // A member that the list leaves out has the initialiser of its class.
    if(clang_getTypeDeclaration(type).kind != K_Union)
        for(size_t i = 0; i < fields.size(); ++i)
        {
            bool given = i + bases.size() < count;
            for(const CXCursor& name : named)
                given = clang_equalCursors(name, fields[i]) || (given && named.empty());
            if(given)
                continue;
            for(const CXCursor& k : children_of(fields[i]))
                if(clang_isExpression(k.kind))
                {
                    elide_ = true;
                    expression(k, dead);
                    elements.push_back({k, clang_getCursorType(fields[i])});
                }
        }
    // Should a later element throw, those before it are destroyed.
    bool may_throw = false;
    for(size_t i = elements.size(); i-- > 0;)
    {
        if(may_throw)
            destroy(elements[i].second, c, dead);
        may_throw = may_throw || holds_call(elements[i].first);
    }
    elide_ = false;
    if(!outermost)
        return;
    from_index(c, dead);
    if(!in_place)
        destroy(type, c, dead);
    in_list_ = false;
    listed_.clear();
    lambda_bodies_.clear();
}

void Unit::listed(const CXCursor& target, const CXCursor& at)
{
    listed_.insert(std::to_string(site_of(at).begin) + ':' + std::to_string(uintptr_t(clang_getCanonicalCursor(target).data[0])));
}

// What the indexer saw inside a list and the walk did not.
void Unit::from_index(const CXCursor& list, int dead)
{
    auto known = references_.find(functions_[size_t(current_)].cursor.data[0]);
    if(known == references_.end())
        return;
    Site where = site_of(list);
    for(const CXCursor& reference : known->second)
    {
        Site at = site_of(reference);
        if(at.file != where.file || at.begin < where.begin || at.end > where.end)
            continue;
        bool in_lambda = false;
        for(const Site& body : lambda_bodies_)
            in_lambda = in_lambda || (at.begin >= body.begin && at.end <= body.end);
        CXCursor target = clang_getCursorReferenced(reference);
        if(in_lambda || !is_function(target.kind))
            continue;
        size_t before = listed_.size();
        listed(target, reference);
        if(listed_.size() == before)
            continue;
        int f = intern(target);
        throws_ = throws_ || (!dead && reference.kind == K_Call && !says_noexcept(target));
        if(f >= 0 && !calls_nothing(f))
            add(f, reference.kind == K_Call ? EdgeKind::Call : EdgeKind::Reference, reference, dead);
    }
}

// `for(x : range)` calls begin() and end(), and the operators of what they return, without a word of it.
void Unit::range_loop(const std::vector<CXCursor>& kids, int dead)
{
    for(const CXCursor& k : kids)
        statement(k, dead);
    if(kids.size() < 2)
        return;
    const CXCursor& range = kids[kids.size() - 2];
    CXType          type  = clang_getCanonicalType(clang_getCursorType(range));
    CXType          place{};
    for(const char* name : {"begin", "end"})
    {
        CXType made = member_call(type, name, range, dead);
        place       = made.kind ? made : place;
    }
    for(const char* name : {"operator!=", "operator++", "operator*"})
        member_call(clang_getCanonicalType(place), name, range, dead);
}

// Calls the library's own member of that name, and returns what it makes; of two, the one that fits a const.
CXType Unit::member_call(CXType type, const char* name, const CXCursor& at, int dead)
{
    CXCursor decl = clang_getTypeDeclaration(type);
    if(!is_record(decl.kind))
        return {};
    Site home = site_of(decl);
    if(home.file < 0 || !files[home.file].project)
        return {};
    CXCursor best = clang_getNullCursor();
    int      parameters = std::strcmp(name, "operator!=") ? 0 : 1;
    bool     is_const   = clang_isConstQualifiedType(type);
    for(const CXCursor& method : collected(clang_visitCXXMethods, type))
        if(method.kind == K_Method && take(clang_getCursorSpelling(method)) == name
           && clang_Cursor_getNumArguments(method) == parameters)
            if(clang_Cursor_isNull(best) || bool(clang_CXXMethod_isConst(method)) == is_const)
                best = method;
    if(clang_Cursor_isNull(best))
    {
        for(const CXCursor& base : collected(clang_visitCXXBaseClasses, type))
        {
            CXType made = member_call(clang_getCanonicalType(clang_getCursorType(base)), name, at, dead);
            if(made.kind)
                return made;
        }
        return {};
    }
    throws_ = throws_ || (!dead && !says_noexcept(best));
    add(intern(best), EdgeKind::Call, at, dead);
    return clang_getResultType(clang_getCursorType(best));
}

// A class may bring an allocation of its own.
void Unit::allocation(CXType type, const char* name, const CXCursor& at, int dead)
{
    type = clang_getCanonicalType(type);
    if(!is_record(clang_getTypeDeclaration(type).kind))
        return;
    for(const CXCursor& method : collected(clang_visitCXXMethods, type))
        if(take(clang_getCursorSpelling(method)) == name && clang_Cursor_getNumArguments(method) == 1)
            add(intern(method), EdgeKind::Call, at, dead);
}

} // namespace rq

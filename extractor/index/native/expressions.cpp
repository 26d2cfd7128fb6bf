// Expressions: calls, launches, references and what they destroy.
#include "unit.hpp"

namespace rq {

void Unit::add(int callee, EdgeKind kind, const CXCursor& at, int dead)
{
    if(callee < 0)
        return;
    Function& f = functions_[size_t(current_)];
    Site      s = site_of(at);
    int       nth = -1;
    if(kind == EdgeKind::Launch)
    {
        nth = 0;
        for(const Edge& e : f.edges)
            if(e.kind == EdgeKind::Launch && e.site.file == s.file && e.site.line == s.line)
                ++nth;
    }
    else if(!f.known.insert({callee, int(kind) * 2 + (dead ? 1 : 0), s.file, s.begin}).second)
        return;
    f.edges.push_back({callee, kind, s, dead, nth});
}

bool Unit::constant(const CXCursor& c, long long& value)
{
    CXEvalResult r = clang_Cursor_Evaluate(c);
    if(!r)
        return false;
    bool is_integer = clang_EvalResult_getKind(r) == 1;
    if(is_integer)
        value = clang_EvalResult_getAsLongLong(r);
    clang_EvalResult_dispose(r);
    return is_integer;
}

std::string Unit::source_text(const Site& s)
{
    if(s.file < 0 || s.end <= s.begin)
        return "";
    auto it = texts_.find(s.file);
    if(it == texts_.end())
    {
        std::string text;
        std::string path = files.path_of(s.file);
        if(FILE* f = std::fopen(path.c_str(), "rb"))
        {
            char   b[65536];
            size_t n;
            while((n = std::fread(b, 1, sizeof b, f)) > 0)
                text.append(b, n);
            std::fclose(f);
        }
        it = texts_.emplace(s.file, std::move(text)).first;
    }
    if(s.end > it->second.size())
        return "";
    std::string out;
    bool        space = false;
    for(char ch : it->second.substr(s.begin, s.end - s.begin))
    {
        if(ch == ' ' || ch == '\n' || ch == '\t' || ch == '\r')
            space = !out.empty();
        else
        {
            if(space)
                out += ' ';
            space = false;
            out += ch;
        }
    }
    return out;
}

int Unit::reason(const std::string& text, const CXCursor& at)
{
    std::string full = text;
    std::string code = source_text(site_of(at));
    if(!code.empty())
        full += ": " + code;
    auto it = reason_ids_.find(full);
    if(it != reason_ids_.end())
        return it->second;
    int id            = int(reasons.size());
    reason_ids_[full] = id;
    reasons.push_back(full);
    return id;
}

void Unit::default_argument(const CXCursor& callee, unsigned nth, int dead)
{
    for(const CXCursor& source : {callee, clang_getCanonicalCursor(callee)})
    {
        CXCursor parameter = clang_Cursor_getArgument(source, nth);
        if(clang_Cursor_isNull(parameter))
            continue;
        bool seen = false;
        for(const CXCursor& k : children_of(parameter))
            if(clang_isExpression(k.kind))
            {
                expression(k, dead);
                seen = true;
            }
        if(seen)
            return;
    }
}

bool only_names_a_function(CXCursor c)
{
    for(;;)
    {
        c = unwrapped(c);
        if(c.kind == K_DeclRef)
        {
            CXCursor target = clang_getCursorReferenced(c);
            return !clang_Cursor_isNull(target) && is_function(target.kind);
        }
        if(c.kind != K_Unary && !is_explicit_cast(c.kind))
            return false;
        std::vector<CXCursor> kids = children_of(c);
        if(kids.empty() || !clang_isExpression(kids.back().kind))
            return false;
        c = kids.back();
    }
}

bool says_noexcept(const CXCursor& function)
{
    const int dynamic_none = 1, basic_noexcept = 4, no_throw = 9;
    int       specification = clang_getCursorExceptionSpecificationType(function);
    return specification == dynamic_none || specification == basic_noexcept || specification == no_throw
           || take(clang_getCursorSpelling(function)).compare(0, 10, "__builtin_") == 0;
}

// Whether the source text of an expression begins with a word.
bool Unit::begins_with(const CXCursor& c, const char* word)
{
    return source_text(site_of(c)).compare(0, std::strlen(word), word) == 0;
}

void Unit::call(const CXCursor& c, int dead, const std::vector<CXCursor>& kids)
{
    bool     in_place = elide_;
    elide_            = false;
    CXCursor callee   = clang_getCursorReferenced(c);
    if((clang_Cursor_isNull(callee) || !is_function(callee.kind)) && !kids.empty())
    {
        // `(kernel<T>)<<<...>>>`: the callee hides behind parentheses.
        CXCursor k = unwrapped(kids[0]);
        if(k.kind == K_Unary && is_substituted(kids[0]))
            k = unwrapped(children_of(k)[0]);
        if(k.kind == K_DeclRef)
            callee = clang_getCursorReferenced(k);
    }
    if(clang_Cursor_isNull(callee) || !is_function(callee.kind))
    {
        // Only a value that has a function type can be called here; a pseudo-destructor has none.
        CXType type = kids.empty() ? CXType{} : clang_getCanonicalType(clang_getCursorType(kids[0]));
        CXType pointee = clang_getPointeeType(type);
        if(clang_getResultType(type).kind != 0 || clang_getResultType(clang_getCanonicalType(pointee)).kind != 0)
            functions_[size_t(current_)].indirect.push_back({site_of(c), dead});
        throws_ = throws_ || !dead;
    }
    const void* outer = pending_callee_;
    if(!clang_Cursor_isNull(callee) && is_function(callee.kind))
    {
        int f   = intern(callee);
        throws_ = throws_ || (!dead && !says_noexcept(callee) && !(f >= 0 && calls_nothing(f)));
        if(f < 0)
        {
            for(const CXCursor& k : kids)
                expression(k, dead);
            return;
        }
        pending_callee_ = clang_getCanonicalCursor(callee).data[0];
        EdgeKind kind   = functions_[size_t(f)].flags & F_Kernel ? EdgeKind::Launch : EdgeKind::Call;
        if(in_list_)
            listed(callee, c);
        if(through_table(c, callee, kids))
            functions_[size_t(current_)].indirect.push_back({site_of(c), dead});
        else if(!calls_nothing(f))
            add(f, kind, c, dead);
        if(!in_place)
        {
            CXType made = callee.kind == K_Constructor ? clang_getCursorType(clang_getCursorSemanticParent(callee))
                                                       : clang_getResultType(clang_getCursorType(callee));
            destroy(made, c, dead);
        }
        int n = clang_Cursor_getNumArguments(c);
        for(int i = 0; i < n; ++i)
        {
            CXCursor a = clang_Cursor_getArgument(c, unsigned(i));
            CXFile   file = nullptr;
            unsigned line, column, offset;
            if(a.kind != K_Unexposed)
                continue;
            clang_getExpansionLocation(clang_getRangeStart(clang_getCursorExtent(a)), &file, &line, &column, &offset);
            if(!file)
                default_argument(callee, unsigned(i), dead);
        }
    }
    for(const CXCursor& k : kids)
        expression(k, dead);
    pending_callee_ = outer;
}

void Unit::expression(const CXCursor& c, int dead)
{
    switch(c.kind)
    {
    case K_Call: call(c, dead, children_of(c)); return;
    case K_TypeRef: return;
    case K_Lambda:
        // The body belongs to the call operator, which is visited when something calls it.
        elide_ = false;
        for(const CXCursor& k : children_of(c))
            if(clang_isExpression(k.kind))
                expression(k, dead);
            else if(in_list_)
                lambda_bodies_.push_back(site_of(k));
        return;
    case K_DeclRef:
    case K_MemberRefExpr:
    {
        elide_ = false;
        CXCursor target = clang_getCursorReferenced(c);
        if(!clang_Cursor_isNull(target))
        {
            if(is_function(target.kind))
            {
                const void* key = clang_getCanonicalCursor(target).data[0];
                if(pending_callee_ == key)
                    pending_callee_ = nullptr;
                else
                    add(intern(target), EdgeKind::Reference, c, dead);
            }
            else if(target.kind == K_Var && clang_Cursor_hasVarDeclGlobalStorage(target))
                add(intern_variable(target), EdgeKind::Reference, c, dead);
            if(in_list_)
                listed(target, c);
            if(c.kind == K_DeclRef)
                return; // below are template arguments, which are evaluated at compile time
        }
        break;
    }
    case K_Conditional:
    {
        bool                  in_place = elide_;
        std::vector<CXCursor> kids = children_of(c);
        long long             v;
        if(kids.size() == 3 && !dead && constant(kids[0], v))
        {
            elide_ = false;
            expression(kids[0], dead);
            int other = reason(v ? "the condition is constant true" : "the condition is constant false", kids[0]);
            elide_ = in_place;
            expression(kids[1], v ? dead : other);
            elide_ = in_place;
            expression(kids[2], v ? other : dead);
            elide_ = false;
            return;
        }
        for(size_t i = 0; i < kids.size(); ++i)
        {
            elide_ = in_place && i > 0;
            expression(kids[i], dead);
        }
        elide_ = false;
        return;
    }
    case K_Binary:
    {
        elide_                     = false;
        int                   op   = clang_getCursorBinaryOperatorKind(c);
        std::vector<CXCursor> kids = children_of(c);
        long long             v;
        const int             logical_and = 20, logical_or = 21, comma = 33;
        if((op == logical_and || op == logical_or) && kids.size() == 2 && !dead && constant(kids[0], v)
           && (op == logical_and ? !v : v != 0))
        {
            expression(kids[0], dead);
            expression(kids[1], reason(v ? "the left side is constant true" : "the left side is constant false", kids[0]));
            return;
        }
        if(op == comma && !kids.empty())
        {
            statement(kids[0], dead); // its value is dropped
            kids.erase(kids.begin());
        }
        for(const CXCursor& k : kids)
            expression(k, dead);
        return;
    }
    case K_New:
        throws_ = throws_ || !dead;
        for(const CXCursor& k : children_of(c))
        {
            elide_ = true;
            expression(k, dead);
        }
        elide_ = false;
        allocation(clang_getPointeeType(clang_getCanonicalType(clang_getCursorType(c))), "operator new", c, dead);
        return;
    case K_Delete:
        elide_ = false;
        for(const CXCursor& k : children_of(c))
        {
            expression(k, dead);
            CXType made = clang_getPointeeType(clang_getCanonicalType(clang_getCursorType(k)));
            if(destroyed_through_table(made))
            {
                functions_[size_t(current_)].indirect.push_back({site_of(c), dead});
                continue;
            }
            destroy(made, c, dead);
            allocation(made, "operator delete", c, dead);
        }
        return;
    case K_InitList: initializer_list(c, dead); return;
    case K_UnaryExpr: elide_ = false; return; // sizeof and alignof evaluate nothing
    case K_Throw:
        throws_ = throws_ || !dead;
        break;
    case K_Unexposed:
    case K_Paren:
    {
        std::vector<CXCursor> kids = children_of(c);
        if(kids.size() == 1 && site_of(c).begin < site_of(kids[0]).begin && begins_with(c, "noexcept"))
            return; // asks whether its operand throws, and evaluates nothing
        for(const CXCursor& k : kids)
            expression(k, dead);
        return;
    }
    default:
        if(clang_isStatement(c.kind))
        {
            statement(c, dead);
            return;
        }
        break;
    }
    if(is_explicit_cast(c.kind))
    {
        // A functional cast makes what its operand makes. Before the operand stands the type, which may
        // hold a call that is never evaluated: `static_cast<decltype(f())>(x)`.
        elide_                     = elide_ && c.kind == 128;
        std::vector<CXCursor> kids = children_of(c);
        if(!kids.empty() && clang_isExpression(kids.back().kind))
            expression(kids.back(), dead);
        elide_ = false;
        return;
    }
    elide_ = false;
    for(const CXCursor& k : children_of(c))
        if(!clang_isDeclaration(k.kind) || k.kind == K_Var)
            k.kind == K_Var ? declared_variable(k, dead) : expression(k, dead);
}

} // namespace rq


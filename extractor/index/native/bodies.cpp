// The walk through one function's body: calls, launches, references, and what can never run.
#include "unit.hpp"

namespace rq {

static bool is_function_kind(int kind)
{
    return kind == K_Function || kind == K_Method || kind == K_Constructor || kind == K_Destructor
           || kind == K_Conversion;
}

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
            if(e.kind == EdgeKind::Launch && e.site.file == s.file && e.site.begin == s.begin)
                ++nth;
    }
    else
        for(const Edge& e : f.edges)
            if(e.callee == callee && e.kind == kind && e.site.begin == s.begin && e.site.file == s.file
               && !e.dead == !dead)
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

static bool holds_label(const CXCursor& c)
{
    if(c.kind == K_Label || c.kind == K_Case || c.kind == K_Default)
        return true;
    bool found = false;
    clang_visitChildren(
        c,
        [](CXCursor k, CXCursor, CXClientData d) -> int {
            if(k.kind == K_Label || k.kind == K_Case || k.kind == K_Default)
            {
                *static_cast<bool*>(d) = true;
                return VisitBreak;
            }
            return clang_isStatement(k.kind) ? VisitRecurse : VisitContinue;
        },
        &found);
    return found;
}

static bool holds_break(const CXCursor& c)
{
    if(c.kind == K_Break)
        return true;
    if(c.kind == K_Switch || c.kind == K_While || c.kind == K_Do || c.kind == K_For || c.kind == K_ForRange)
        return false;
    for(const CXCursor& k : children_of(c))
        if(clang_isStatement(k.kind) && holds_break(k))
            return true;
    return false;
}

// Returns true where control cannot run past the statement, as code generation sees it.
bool Unit::statement(const CXCursor& c, int dead)
{
    std::vector<CXCursor> kids;
    switch(c.kind)
    {
    case K_Compound: return compound(children_of(c), dead);
    case K_If: return if_statement(children_of(c), dead);
    case K_Switch: return switch_statement(children_of(c), dead);
    case K_Return:
    case K_Throw:
        elide_ = c.kind == K_Return;
        for(const CXCursor& k : children_of(c))
            expression(k, dead);
        elide_ = false;
        return true;
    case K_Break:
    case K_Continue:
    case K_Goto: return true;
    case K_Label:
    case K_Case:
    case K_Default:
    {
        kids = children_of(c);
        bool ends = false;
        for(size_t i = 0; i < kids.size(); ++i)
            ends = i + 1 == kids.size() ? statement(kids[i], dead) : (expression(kids[i], dead), false);
        return ends;
    }
    case K_While:
    {
        kids         = children_of(c);
        int  inside  = dead;
        long long v  = 0;
        if(kids.size() >= 2 && !dead && constant(kids[kids.size() - 2], v) && !v)
            inside = reason("the loop's condition is constant false", kids[kids.size() - 2]);
        for(size_t i = 0; i < kids.size(); ++i)
            statement(kids[i], i + 1 == kids.size() ? inside : dead);
        return false;
    }
    case K_Do:
    case K_For:
    case K_ForRange:
    case K_Catch:
    case K_Try:
        for(const CXCursor& k : children_of(c))
            statement(k, dead);
        return false;
    case K_DeclStmt:
        for(const CXCursor& k : children_of(c))
            if(k.kind == K_Var)
                declared_variable(k, dead);
        return false;
    case K_Var: declared_variable(c, dead); return false;
    default:
        if(!clang_isStatement(c.kind))
            expression(c, dead);
        else
            for(const CXCursor& k : children_of(c))
                statement(k, dead);
        return false;
    }
}

bool Unit::compound(const std::vector<CXCursor>& kids, int dead)
{
    bool ended = false;
    for(const CXCursor& k : kids)
    {
        if(ended && holds_label(k))
            ended = false;
        int d = dead;
        if(ended && !dead)
            d = reason("control never gets past the statement before it", clang_getNullCursor());
        bool ends = statement(k, d);
        ended     = ended || ends;
    }
    return ended;
}

bool Unit::if_statement(const std::vector<CXCursor>& kids, int dead)
{
    size_t i = 0;
    while(i < kids.size() && (kids[i].kind == K_DeclStmt || kids[i].kind == K_Var))
        statement(kids[i++], dead);
    if(kids.size() - i < 2)
    {
        for(; i < kids.size(); ++i)
            statement(kids[i], dead);
        return false;
    }
    const CXCursor& condition = kids[i];
    expression(condition, dead);
    long long v     = 0;
    bool      known = constant(condition, v);
    int       then_dead = dead, else_dead = dead;
    if(known && !dead)
    {
        if(v)
            else_dead = reason("the condition is constant true", condition);
        else
            then_dead = reason("the condition is constant false", condition);
    }
    bool then_ends = statement(kids[i + 1], then_dead);
    bool else_ends = kids.size() - i > 2 && statement(kids[i + 2], else_dead);
    if(known)
        return v ? then_ends : else_ends;
    return then_ends && else_ends;
}

bool Unit::switch_statement(const std::vector<CXCursor>& kids, int dead)
{
    if(kids.empty())
        return false;
    for(size_t i = 0; i + 1 < kids.size(); ++i)
        statement(kids[i], dead);
    const CXCursor& body = kids.back();
    if(body.kind != K_Compound)
        return statement(body, dead), false;
    std::vector<CXCursor> items = children_of(body);
    long long             value = 0;
    bool                  known = kids.size() >= 2 && !dead && constant(kids[kids.size() - 2], value);
    auto                  takes = [&](CXCursor label) {
        for(;;)
        {
            std::vector<CXCursor> parts = children_of(label);
            long long             v;
            if(label.kind == K_Case && !parts.empty() && constant(parts[0], v) && v == value)
                return true;
            if(parts.empty() || (parts.back().kind != K_Case && parts.back().kind != K_Default))
                return false;
            label = parts.back();
        }
    };
    bool matched = false, has_default = false;
    for(const CXCursor& k : items)
    {
        if(known && k.kind == K_Case && takes(k))
            matched = true;
        for(CXCursor l = k; l.kind == K_Case || l.kind == K_Default;)
        {
            has_default |= l.kind == K_Default;
            std::vector<CXCursor> parts = children_of(l);
            if(parts.empty())
                break;
            l = parts.back();
        }
    }
    bool live = !known, ends = false;
    for(const CXCursor& k : items)
    {
        if(k.kind == K_Case || k.kind == K_Default)
        {
            ends = false;
            if(known && ((k.kind == K_Case && takes(k)) || (k.kind == K_Default && !matched)))
                live = true;
        }
        int d = dead;
        if(!live && !dead)
            d = reason("the switch has a constant value that selects another case", kids[kids.size() - 2]);
        ends = statement(k, d) || ends;
        if(known && live && ends)
            live = false, known = true, matched = true;
    }
    if(!has_default || !ends)
        return false;
    for(const CXCursor& k : items)
        if(holds_break(k))
            return false;
    return true;
}

// The initialiser of a constant that the compiler knows is never run: `constexpr`, or a const integer with a
// constant initialiser.
bool Unit::computed_at_compile_time(const CXCursor& variable)
{
    if(!clang_isConstQualifiedType(clang_getCanonicalType(clang_getCursorType(variable))))
        return false;
    CXCursor init = clang_Cursor_getVarDeclInitializer(variable);
    if(clang_Cursor_isNull(init))
        return false;
    CXEvalResult r = clang_Cursor_Evaluate(init);
    if(!r)
        return false;
    int kind = clang_EvalResult_getKind(r);
    clang_EvalResult_dispose(r);
    if(kind == 1)
        return true;
    std::string text = source_text(site_of(variable));
    return text.compare(0, 10, "constexpr ") == 0 || text.compare(0, 17, "static constexpr ") == 0;
}

void Unit::declared_variable(const CXCursor& c, int dead)
{
    if(!dead && computed_at_compile_time(c))
        dead = reason("evaluated at compile time", clang_getNullCursor());
    for(const CXCursor& k : children_of(c))
        if(clang_isExpression(k.kind))
        {
            elide_ = true;
            expression(k, dead);
            elide_ = false;
        }
    destroy(clang_getCursorType(c), c, dead);
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

void Unit::call(const CXCursor& c, int dead, const std::vector<CXCursor>& kids)
{
    bool     in_place = elide_;
    elide_            = false;
    CXCursor callee   = clang_getCursorReferenced(c);
    if((clang_Cursor_isNull(callee) || !is_function_kind(callee.kind)) && !kids.empty())
    {
        // `(kernel<T>)<<<...>>>`: the callee hides behind parentheses.
        CXCursor k = kids[0];
        while(k.kind == K_Unexposed || k.kind == K_Paren)
        {
            std::vector<CXCursor> inner = children_of(k);
            if(inner.size() != 1)
                break;
            k = inner[0];
        }
        if(k.kind == K_DeclRef)
            callee = clang_getCursorReferenced(k);
    }
    if(clang_Cursor_isNull(callee) || !is_function_kind(callee.kind))
    {
        // Only a value that has a function type can be called here; a pseudo-destructor has none.
        CXType type = kids.empty() ? CXType{} : clang_getCanonicalType(clang_getCursorType(kids[0]));
        CXType pointee = clang_getPointeeType(type);
        if(clang_getResultType(type).kind != 0 || clang_getResultType(clang_getCanonicalType(pointee)).kind != 0)
            functions_[size_t(current_)].indirect.push_back({site_of(c), dead});
    }
    const void* outer = pending_callee_;
    if(!clang_Cursor_isNull(callee) && is_function_kind(callee.kind))
    {
        int f           = intern(callee);
        if(f < 0)
        {
            for(const CXCursor& k : kids)
                expression(k, dead);
            return;
        }
        pending_callee_ = clang_getCanonicalCursor(callee).data[0];
        EdgeKind kind   = functions_[size_t(f)].flags & F_Kernel ? EdgeKind::Launch : EdgeKind::Call;
        if(!calls_nothing(f))
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
        return;
    case K_DeclRef:
    case K_MemberRefExpr:
    {
        elide_ = false;
        CXCursor target = clang_getCursorReferenced(c);
        if(!clang_Cursor_isNull(target))
        {
            if(is_function_kind(target.kind))
            {
                const void* key = clang_getCanonicalCursor(target).data[0];
                if(pending_callee_ == key)
                    pending_callee_ = nullptr;
                else
                    add(intern(target), EdgeKind::Reference, c, dead);
            }
            else if(target.kind == K_Var && clang_Cursor_hasVarDeclGlobalStorage(target))
                add(intern_variable(target), EdgeKind::Reference, c, dead);
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
        const int             logical_and = 20, logical_or = 21;
        if((op == logical_and || op == logical_or) && kids.size() == 2 && !dead && constant(kids[0], v)
           && (op == logical_and ? !v : v != 0))
        {
            expression(kids[0], dead);
            expression(kids[1], reason(v ? "the left side is constant true" : "the left side is constant false", kids[0]));
            return;
        }
        for(const CXCursor& k : kids)
            expression(k, dead);
        return;
    }
    case K_New:
        for(const CXCursor& k : children_of(c))
        {
            elide_ = true;
            expression(k, dead);
        }
        elide_ = false;
        return;
    case K_Delete:
        elide_ = false;
        for(const CXCursor& k : children_of(c))
        {
            expression(k, dead);
            destroy(clang_getPointeeType(clang_getCanonicalType(clang_getCursorType(k))), c, dead);
        }
        return;
    case K_UnaryExpr: elide_ = false; return; // sizeof and alignof evaluate nothing
    case K_Unexposed:
    case K_Paren:
    case 128: // functional cast: what it makes is what its one child makes
        for(const CXCursor& k : children_of(c))
            expression(k, dead);
        return;
    default:
        if(clang_isStatement(c.kind))
        {
            statement(c, dead);
            return;
        }
        break;
    }
    elide_ = false;
    for(const CXCursor& k : children_of(c))
        if(!clang_isDeclaration(k.kind) || k.kind == K_Var)
            k.kind == K_Var ? declared_variable(k, dead) : expression(k, dead);
}

} // namespace rq

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

// Whether something of an expression whose value is known is computed all the same: the left side of
// `f(x) && false`, or of a comma.
bool Unit::is_computed(const CXCursor& known)
{
    CXCursor inner = unwrapped(known);
    int      op    = inner.kind == K_Binary ? clang_getCursorBinaryOperatorKind(inner) : 0;
    if(inner.kind != K_Unary && op != O_LogicalAnd && op != O_LogicalOr && op != O_Comma)
        return false;
    std::vector<CXCursor> kids = children_of(inner);
    long long             v;
    if(kids.empty() || !constant(kids[0], v) || is_computed(kids[0]))
        return true;
    if(kids.size() < 2 || (op == O_LogicalAnd && !v) || (op == O_LogicalOr && v))
        return false;
    return is_computed(kids[1]);
}

// Whether a branch on a known value is taken as known. Where something is computed first, the compiler's
// unoptimised code asks the part that decides, and knows no function's result there.
bool Unit::decides(const CXCursor& known)
{
    if(!is_computed(known))
        return true;
    CXCursor part = unwrapped(known);
    while(part.kind == K_Unary || part.kind == K_Binary)
    {
        std::vector<CXCursor> kids = children_of(part);
        if(kids.empty())
            break;
        part = unwrapped(kids.back());
    }
    return !holds_call(part);
}

// Why a condition that the compiler knows is not computed; `dead` where something of it is.
int Unit::folded(const CXCursor& condition, int dead)
{
    return dead || is_computed(condition) ? dead : reason("evaluated at compile time", clang_getNullCursor());
}

// `a && b` and `a || b`. A side that the compiler knows is not computed: the left one always, the right one
// where a branch hangs on the whole and the left side alone decides it.
void Unit::logical(const std::vector<CXCursor>& kids, bool conjunction, bool branches, int dead)
{
    long long v;
    if(!dead && constant(kids[0], v) && !is_computed(kids[0]))
    {
        bool decides = conjunction ? !v : v != 0;
        condition(kids[0], folded(kids[0], dead));
        int skipped = reason(v ? "the left side is constant true" : "the left side is constant false", kids[0]);
        branches && !decides ? condition(kids[1], dead) : expression(kids[1], decides ? skipped : dead);
        return;
    }
    condition(kids[0], dead);
    if(!branches)
        expression(kids[1], dead);
    else if(!dead && constant(kids[1], v) && !is_computed(kids[1]) && (conjunction ? v != 0 : !v))
        condition(kids[1], folded(kids[1], dead));
    else
        condition(kids[1], dead);
}

// An expression on which a branch hangs.
void Unit::condition(const CXCursor& c, int dead)
{
    CXCursor inner = c.kind == K_Paren || c.kind == K_Unexposed ? unwrapped(c) : c;
    if(inner.kind == K_Unary && clang_getCursorUnaryOperatorKind(inner) == O_Not)
    {
        for(const CXCursor& k : children_of(inner))
            condition(k, dead);
        return;
    }
    if(inner.kind == K_Binary)
    {
        int                   op   = clang_getCursorBinaryOperatorKind(inner);
        std::vector<CXCursor> kids = children_of(inner);
        if((op == O_LogicalAnd || op == O_LogicalOr) && kids.size() == 2)
        {
            elide_ = false;
            logical(kids, op == O_LogicalAnd, true, dead);
            return;
        }
    }
    expression(c, dead);
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
        if(kids.size() == 3 && !dead && constant(kids[0], v) && decides(kids[0]))
        {
            elide_ = false;
            condition(kids[0], folded(kids[0], dead));
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
            i == 0 ? condition(kids[i], dead) : expression(kids[i], dead);
        }
        elide_ = false;
        return;
    }
    case K_Binary:
    {
        elide_                     = false;
        int                   op   = clang_getCursorBinaryOperatorKind(c);
        std::vector<CXCursor> kids = children_of(c);
        if((op == O_LogicalAnd || op == O_LogicalOr) && kids.size() == 2)
        {
            logical(kids, op == O_LogicalAnd, false, dead);
            return;
        }
        if(op == O_Comma && !kids.empty())
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


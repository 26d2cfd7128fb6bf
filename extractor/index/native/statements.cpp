// Statements: what can never run, as code generation sees it.
#include "unit.hpp"

namespace rq {

// A label that control can jump to from outside: a goto's, or a case that belongs to a switch around the statement.
static bool holds_label(const CXCursor& c, bool ignore_cases = false)
{
    if(c.kind == K_Label || (!ignore_cases && (c.kind == K_Case || c.kind == K_Default)))
        return true;
    bool ignore = ignore_cases || c.kind == K_Switch;
    for(const CXCursor& k : children_of(c))
        if(clang_isStatement(k.kind) && holds_label(k, ignore))
            return true;
    return false;
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
        throws_ = throws_ || (c.kind == K_Throw && !dead);
        if(c.kind == K_Return && returned_in_place(c))
            return true;
        elide_  = c.kind == K_Return;
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
        kids            = children_of(c);
        int       inside = dead;
        long long v      = 0;
        bool      known  = kids.size() >= 2 && constant(kids[kids.size() - 2], v);
        if(known && !v && !dead && !holds_label(kids.back()))
            inside = reason("the loop's condition is constant false", kids[kids.size() - 2]);
        for(size_t i = 0; i < kids.size(); ++i)
            statement(kids[i], i + 1 == kids.size() ? inside : dead);
        return known && v && !holds_break(kids.back());
    }
    case K_For:
        kids = children_of(c);
        for(const CXCursor& k : kids)
            statement(k, dead);
        // Without a condition or an increment the body stands alone, or behind the declaration.
        return (kids.size() == 1 || (kids.size() == 2 && kids[0].kind == K_DeclStmt)) && !holds_break(kids.back());
    case K_ForRange: range_loop(children_of(c), dead); return false;
    case K_Try: return try_statement(children_of(c), dead);
    case K_Do:
    case K_Catch:
        for(const CXCursor& k : children_of(c))
            statement(k, dead);
        return false;
    case K_DeclStmt:
        for(const CXCursor& k : children_of(c))
            if(k.kind == K_Var)
                declared_variable(k, dead);
            else if(k.kind == K_UnexposedDecl)
                structured_binding(k, dead);
        return false;
    case K_Var: declared_variable(c, dead); return false;
    default:
        if(!clang_isStatement(c.kind))
        {
            if(!dead && only_names_a_function(c))
                dead = reason("the function is named and nothing is done with it", clang_getNullCursor());
            expression(c, dead);
            return unwrapped(c).kind == K_Throw; // with temporaries a throw stands inside
        }
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
    const CXCursor& test = kids[i];
    long long v     = 0;
    bool      known = constant(test, v) && decides(test);
    int       then_dead = dead, else_dead = dead;
    bool      has_else = kids.size() - i > 2;
    if(known && ((v && has_else && holds_label(kids[i + 2])) || (!v && holds_label(kids[i + 1]))))
        known = false; // a jump can still come into the branch that the condition skips
    condition(test, known ? folded(test, dead) : dead);
    if(known && !dead)
    {
        if(v)
            else_dead = reason("the condition is constant true", test);
        else
            then_dead = reason("the condition is constant false", test);
    }
    bool then_ends = statement(kids[i + 1], then_dead);
    bool else_ends = has_else && statement(kids[i + 2], else_dead);
    if(known)
        return v ? then_ends : else_ends;
    return then_ends && else_ends;
}

// The local variable that a statement returns by copying or moving it whole.
static CXCursor returned_variable(const CXCursor& statement)
{
    std::vector<CXCursor> kids = children_of(statement);
    if(kids.size() != 1)
        return clang_getNullCursor();
    CXCursor made        = unwrapped(kids[0]);
    CXCursor constructor = clang_getCursorReferenced(made);
    if(made.kind != K_Call || constructor.kind != K_Constructor
       || !(clang_CXXConstructor_isCopyConstructor(constructor) || clang_CXXConstructor_isMoveConstructor(constructor)))
        return clang_getNullCursor();
    kids = children_of(made);
    if(kids.size() != 1)
        return clang_getNullCursor();
    CXCursor name     = unwrapped(kids[0]);
    CXCursor variable = clang_getCursorReferenced(name);
    if(name.kind != K_DeclRef || variable.kind != K_Var || clang_Cursor_hasVarDeclGlobalStorage(variable))
        return clang_getNullCursor();
    CXCursor type = clang_getTypeDeclaration(clang_getCanonicalType(clang_getCursorType(variable)));
    if(!clang_equalCursors(clang_getCanonicalCursor(type), clang_getCanonicalCursor(clang_getCursorSemanticParent(constructor))))
        return clang_getNullCursor();
    return variable;
}

static bool all_return(const CXCursor& c, const CXCursor& variable)
{
    if(c.kind == K_Return)
        return clang_equalCursors(returned_variable(c), variable) != 0;
    for(const CXCursor& k : children_of(c))
        if(clang_isStatement(k.kind) && !all_return(k, variable))
            return false;
    return true;
}

// Whether every return that follows the variable's declaration in its block returns the variable.
static bool fills_the_result(const CXCursor& block, const CXCursor& variable)
{
    bool declared = false;
    for(const CXCursor& k : children_of(block))
    {
        if(declared && !all_return(k, variable))
            return false;
        if(k.kind == K_DeclStmt)
            for(const CXCursor& each : children_of(k))
                declared = declared || clang_equalCursors(each, variable);
        else if(!declared && clang_isStatement(k.kind) && fills_the_result(k, variable))
            return true;
    }
    return declared;
}

// An instantiation whose result type is deduced: clang decides on its variables before it knows the type.
bool Unit::deduces_its_result(int f)
{
    const Function& function = functions_[size_t(f)];
    if(!(function.flags & F_Instantiation) || function.body <= function.extent.begin)
        return false;
    Site head = function.extent;
    head.end  = function.body;
    std::string text  = source_text(head);
    size_t      found = text.find("auto ");
    return found != std::string::npos && (found == 0 || text[found - 1] == ' ') && text.find("->") == std::string::npos;
}

// A variable that is all that its block returns is built where the result goes, and neither copied nor moved.
bool Unit::returned_in_place(const CXCursor& statement)
{
    CXCursor variable = returned_variable(statement);
    if(clang_Cursor_isNull(variable))
        return false;
    auto known = in_place_.find(variable.data[0]);
    if(known != in_place_.end())
        return known->second;
    bool found = !deduces_its_result(current_) && fills_the_result(functions_[size_t(current_)].cursor, variable);
    return in_place_[variable.data[0]] = found;
}

// Handlers of a block in which nothing can throw are never generated; then the block ends where its body ends.
bool Unit::try_statement(const std::vector<CXCursor>& kids, int dead)
{
    bool outer   = throws_;
    bool ends    = false;
    int  handler = dead;
    throws_      = false;
    for(size_t i = 0; i < kids.size(); ++i)
        if(i > 0)
            statement(kids[i], handler);
        else
        {
            ends = statement(kids[i], dead) && !throws_;
            if(!throws_ && !dead)
                handler = reason("nothing in the try block can throw", clang_getNullCursor());
        }
    throws_ = throws_ || outer;
    return ends;
}

bool Unit::switch_statement(const std::vector<CXCursor>& kids, int dead)
{
    if(kids.empty())
        return false;
    const CXCursor& body = kids.back();
    if(body.kind != K_Compound)
    {
        for(const CXCursor& k : kids)
            statement(k, dead);
        return false;
    }
    std::vector<CXCursor> items = children_of(body);
    long long             value = 0;
    bool                  known = kids.size() >= 2 && !dead && constant(kids[kids.size() - 2], value) && decides(kids[kids.size() - 2]);
    auto                  takes = [&](CXCursor label) {
        for(;;)
        {
            std::vector<CXCursor> parts = children_of(label);
            long long             v;
            if(label.kind == K_Case && !parts.empty() && constant(parts[0], v))
            {
                // `case 1 ... 3:` has a third part before the statement.
                long long last = v;
                if(parts.size() > 2)
                    constant(parts[1], last);
                if(v <= value && value <= last)
                    return true;
            }
            if(parts.empty() || (parts.back().kind != K_Case && parts.back().kind != K_Default))
                return false;
            label = parts.back();
        }
    };
    // A case inside another statement can be jumped to past what is around it: nothing is dead then.
    for(const CXCursor& k : items)
    {
        CXCursor inner = k;
        while(inner.kind == K_Case || inner.kind == K_Default)
        {
            std::vector<CXCursor> parts = children_of(inner);
            if(parts.empty())
                break;
            inner = parts.back();
        }
        if(holds_label(inner))
            known = false;
    }
    for(size_t i = 0; i + 1 < kids.size(); ++i)
        statement(kids[i], known && i + 2 == kids.size() ? folded(kids[i], dead) : dead);
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
    bool live = !known, ended = false, selected = false, breaks = false;
    for(const CXCursor& k : items)
    {
        bool label = k.kind == K_Case || k.kind == K_Default;
        if(label || (ended && holds_label(k)))
            ended = false;
        if(label && known && !selected && ((k.kind == K_Case && takes(k)) || (k.kind == K_Default && !matched)))
            live = selected = true;
        int d = dead;
        if(!live && !dead)
            d = reason("the switch has a constant value that selects another case", kids[kids.size() - 2]);
        else if(ended && !dead)
            d = reason("control never gets past the statement before it", clang_getNullCursor());
        ended  = statement(k, d) || ended;
        breaks = breaks || (live && holds_break(k));
        if(known && live && ended)
            live = false; // what follows belongs to cases that are not selected
    }
    if(known)
        return selected && !live && !breaks;
    return has_default && ended && !breaks;
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
    std::string head = source_text(site_of(variable));
    head             = " " + head.substr(0, head.find_first_of("={("));
    if(head.find(" constexpr ") != std::string::npos)
        return true;
    CXEvalResult r = clang_Cursor_Evaluate(init);
    if(!r)
        return false;
    int kind = clang_EvalResult_getKind(r);
    clang_EvalResult_dispose(r);
    return kind == 1;
}

// A plain structure built by a constexpr constructor from constants is stored as a constant.
bool Unit::constant_structure(const CXCursor& variable)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(variable));
    CXCursor init = clang_Cursor_getVarDeclInitializer(variable);
    if(!clang_isPODType(type) || !is_record(clang_getTypeDeclaration(type).kind) || clang_Cursor_isNull(init))
        return false;
    CXCursor made        = unwrapped(init);
    CXCursor constructor = clang_getCursorReferenced(made);
    if(made.kind != K_Call || constructor.kind != K_Constructor || is_copy(constructor, false))
        return false;
    Site head = site_of(clang_getCursorDefinition(constructor));
    if((" " + source_text(head)).find(" constexpr ") == std::string::npos)
        return false;
    for(int i = 0; i < clang_Cursor_getNumArguments(made); ++i)
    {
        CXEvalResult known = clang_Cursor_Evaluate(clang_Cursor_getArgument(made, unsigned(i)));
        if(!known)
            return false;
        clang_EvalResult_dispose(known);
    }
    return true;
}

void Unit::declared_variable(const CXCursor& c, int dead)
{
    if(!dead && (computed_at_compile_time(c) || constant_structure(c)))
        dead = reason("evaluated at compile time", clang_getNullCursor());
    CXType   type = clang_getCursorType(c);
    CXCursor init = clang_Cursor_getVarDeclInitializer(c);
    if(type.kind == T_VariableArray)
        for(const CXCursor& k : children_of(c))
            if(clang_isExpression(k.kind))
                expression(k, dead); // its size
    if(!clang_Cursor_isNull(init))
    {
        // A variable is made in place; what a reference is bound to is destroyed with it.
        elide_ = type.kind != T_LvalueReference && type.kind != T_RvalueReference;
        expression(init, dead);
        elide_ = false;
    }
    destroy(type, c, dead);
}

void Unit::structured_binding(const CXCursor& c, int dead)
{
    for(const CXCursor& k : children_of(c))
        if(clang_isExpression(k.kind))
        {
            elide_ = true;
            expression(k, dead);
            elide_ = false;
        }
    destroy(clang_getCursorType(c), c, dead);
}

} // namespace rq

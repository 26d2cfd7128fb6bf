// Expressions: constants as values with their spelling, conversions where they change a value.
#include "bodies.hpp"

#include <algorithm>

namespace rq {

static bool is_callable(int kind)
{
    return kind == K_Function || kind == K_Method || kind == K_Constructor || kind == K_Destructor
           || kind == K_Conversion;
}

static bool is_kernel(const CXCursor& c)
{
    bool found = false;
    clang_visitChildren(
        c,
        [](CXCursor k, CXCursor, CXClientData d) -> int {
            if(k.kind == K_GlobalAttr)
                *static_cast<bool*>(d) = true;
            return VisitContinue;
        },
        &found);
    return found;
}

// The first parameter that a template forwards (`T&&`): it and those behind take anything as it comes, and are
// not there to be written to.
static int first_forwarded(const CXCursor& callee)
{
    CXCursor pattern = clang_getSpecializedCursorTemplate(callee);
    int      index   = 0;
    if(!clang_Cursor_isNull(pattern))
        for(const CXCursor& k : children_of(pattern))
            if(k.kind == K_Parm)
            {
                std::string type = take(clang_getTypeSpelling(clang_getCursorType(k)));
                if(type.find("&&") != std::string::npos)
                    return index;
                ++index;
            }
    return 1 << 20;
}

std::string Bodies::type_code(CXType t)
{
    t = clang_getCanonicalType(t);
    if(t.kind == T_LvalueReference || t.kind == T_RvalueReference)
        return "&" + type_code(clang_getPointeeType(t));
    if(t.kind == 106)
        return "e" + type_code(clang_getEnumDeclIntegerType(clang_getTypeDeclaration(t)));
    switch(t.kind)
    {
    case 2: return "void";
    case 3: return "b";
    case 5: return "u8";
    case 13: case 14: return "i8";
    case 16: return "i16";
    case 8: return "u16";
    case 17: return "i32";
    case 9: return "u32";
    case 18: case 19: return "i64";
    case 10: case 11: return "u64";
    case 21: return "f32";
    case 22: return "f64";
    case 31: case 32: return "f16";
    case 24: case 101: return "p";
    default: return "?";
    }
}

std::string Bodies::source_of(const CXCursor& c)
{
    CXSourceRange r = clang_getCursorExtent(c);
    CXFile        f = nullptr, g = nullptr;
    unsigned      line, column, begin = 0, end = 0;
    clang_getSpellingLocation(clang_getRangeStart(r), &f, &line, &column, &begin);
    clang_getSpellingLocation(clang_getRangeEnd(r), &g, &line, &column, &end);
    if(!f || f != g || end <= begin || end - begin > 120)
        return "";
    int  file = files_.index_of(f);
    auto it   = texts_.find(file);
    if(it == texts_.end())
    {
        std::string data;
        if(FILE* h = std::fopen(files_.path_of(file).c_str(), "rb"))
        {
            char   b[65536];
            size_t n;
            while((n = std::fread(b, 1, sizeof b, h)) > 0)
                data.append(b, n);
            std::fclose(h);
        }
        it = texts_.emplace(file, std::move(data)).first;
    }
    if(end > it->second.size())
        return "";
    std::string out;
    bool        space = false;
    for(char ch : it->second.substr(begin, end - begin))
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

bool Bodies::constant(const CXCursor& c)
{
    std::string type = type_code(clang_getCursorType(c));
    if(type[0] == '&')
        type = type.substr(1);
    if(type == "?" || type == "p" || type == "void")
        return false;
    CXEvalResult r = clang_Cursor_Evaluate(c);
    if(!r)
        return false;
    int  kind  = clang_EvalResult_getKind(r);
    bool known = false;
    if(kind == 1 && type[0] != 'f')
    {
        out_ += "[\"k\"," + std::to_string(clang_EvalResult_getAsLongLong(r)) + ",\"" + type + "\",";
        json_string(out_, source_of(c));
        out_ += ']';
        known = true;
    }
    else if(kind == 2 && type[0] == 'f')
    {
        char b[40];
        std::snprintf(b, sizeof b, "%.17g", clang_EvalResult_getAsDouble(r));
        if(std::strpbrk(b, "in") == nullptr)
        {
            out_ += std::string("[\"f\",") + b + ",\"" + type + "\"]";
            known = true;
        }
    }
    clang_EvalResult_dispose(r);
    return known;
}

void Bodies::opaque(const CXCursor& c)
{
    out_ += "[\"x\",";
    json_string(out_, source_of(c));
    out_ += ",\"" + type_code(clang_getCursorType(c)) + "\",[";
    bool first = true;
    for(const CXCursor& k : children_of(c))
        if(clang_isExpression(k.kind))
        {
            if(!first)
                out_ += ',';
            first = false;
            expression(k);
        }
    out_ += "]]";
}

void Bodies::arguments(const CXCursor& c)
{
    out_ += '[';
    int n = clang_Cursor_getNumArguments(c);
    for(int i = 0; i < n; ++i)
    {
        if(i)
            out_ += ',';
        expression(clang_Cursor_getArgument(c, unsigned(i)));
    }
    out_ += ']';
}

void Bodies::launch(const CXCursor& c, const CXCursor& callee, const std::vector<CXCursor>& kids)
{
    out_ += "[\"launch\",";
    place(c);
    out_ += ',';
    json_string(out_, symbol_of(callee));
    out_ += ',';
    json_string(out_, take(clang_getCursorSpelling(callee)));
    out_ += ',';
    bool found = false;
    for(const CXCursor& k : kids)
        if(!found && k.kind == K_Call
           && take(clang_getCursorSpelling(clang_getCursorReferenced(k))).find("PushCallConfiguration") != std::string::npos)
        {
            arguments(k);
            found = true;
        }
    if(!found)
        out_ += "[]";
    out_ += ',';
    arguments(c);
    out_ += ']';
}

void Bodies::call(const CXCursor& c)
{
    std::vector<CXCursor> kids   = children_of(c);
    CXCursor              callee = clang_getCursorReferenced(c);
    if((clang_Cursor_isNull(callee) || !is_callable(callee.kind)) && !kids.empty())
    {
        CXCursor k = kids[0];
        for(int depth = 0; depth < 8; ++depth)
        {
            std::vector<CXCursor> inner = children_of(k);
            if(k.kind == K_DeclRef || inner.empty())
                break;
            k = inner[0];
        }
        if(k.kind == K_DeclRef)
            callee = clang_getCursorReferenced(k);
    }
    if(clang_Cursor_isNull(callee) || !is_callable(callee.kind))
    {
        opaque(c);
        return;
    }
    root(callee);
    if(is_kernel(callee))
    {
        launch(c, callee, kids);
        return;
    }
    std::string type = type_code(clang_getCursorType(c));
    out_ += "[\"call\",";
    place(c);
    out_ += ',';
    json_string(out_, symbol_of(callee));
    out_ += ',';
    json_string(out_, take(clang_getCursorSpelling(callee)));
    out_ += ",\"" + type + "\",";
    arguments(c);
    out_ += ",[";
    // Arguments bound to references through which the callee may write.
    CXType signature = clang_getCursorType(callee);
    int    n         = clang_Cursor_getNumArguments(callee);
    bool   first     = true;
    n                = std::min(n, first_forwarded(callee));
    for(int i = 0; i < n; ++i)
    {
        CXType t = clang_getCanonicalType(clang_getArgType(signature, unsigned(i)));
        if(t.kind == T_LvalueReference && !clang_isConstQualifiedType(clang_getPointeeType(t)))
        {
            if(!first)
                out_ += ',';
            first = false;
            out_ += std::to_string(i);
        }
    }
    out_ += "],";
    if(callee.kind == K_Constructor)
        out_ += "\"new\"";
    else if(callee.kind == K_Method && !kids.empty() && kids[0].kind == K_MemberRefExpr && !children_of(kids[0]).empty())
        expression(children_of(kids[0])[0]);
    else if(callee.kind == K_Conversion && !kids.empty())
        expression(kids[0].kind == K_MemberRefExpr && !children_of(kids[0]).empty() ? children_of(kids[0])[0] : kids[0]);
    else
        out_ += "null";
    out_ += ']';
}

void Bodies::reference(const CXCursor& c, const CXCursor& target)
{
    std::string name = take(clang_getCursorSpelling(target));
    std::string type = type_code(clang_getCursorType(c));
    if(target.kind == K_EnumConstant)
    {
        out_ += "[\"e\",";
        json_string(out_, name);
        out_ += ',' + std::to_string(clang_getEnumConstantDeclValue(target)) + ']';
    }
    else if(is_callable(target.kind))
    {
        root(target);
        out_ += "[\"fn\",";
        json_string(out_, symbol_of(target));
        out_ += ',';
        json_string(out_, name);
        out_ += ']';
    }
    else if(target.kind == K_Parm || (target.kind == K_Var && !clang_Cursor_hasVarDeclGlobalStorage(target)))
    {
        if(target.kind == K_Var && constant(c))
            return;
        out_ += "[\"v\"," + std::to_string(number_of(target)) + ',';
        json_string(out_, name);
        out_ += ",\"" + type + "\"]";
    }
    else if(!constant(c) && !(clang_isDeclaration(target.kind) && unchanging(target)))
    {
        out_ += "[\"g\",";
        json_string(out_, name);
        out_ += ",\"" + type + '"' + (clang_isDeclaration(target.kind) ? extremes(target) : "") + ']';
    }
}

void Bodies::expression(const CXCursor& c)
{
    std::vector<CXCursor> kids;
    std::string           type;
    switch(c.kind)
    {
    case K_DeclRef:
    {
        CXCursor target = clang_getCursorReferenced(c);
        if(!clang_Cursor_isNull(target))
            reference(c, target);
        else if(!constant(c))
            opaque(c);
        return;
    }
    case K_Paren:
        kids = children_of(c);
        if(kids.size() == 1)
            expression(kids[0]);
        else
            opaque(c);
        return;
    case K_Unexposed:
    case K_CStyleCast:
    case K_StaticCast:
    case K_FunctionalCast:
    case K_ConstCast:
    case K_ReinterpretCast:
    {
        for(const CXCursor& k : children_of(c))
            if(clang_isExpression(k.kind))
                kids.push_back(k);
        if(kids.size() != 1)
        {
            if(!constant(c))
                opaque(c);
            return;
        }
        std::string inner = type_code(clang_getCursorType(kids[0]));
        type              = type_code(clang_getCursorType(c));
        if(type[0] == '&')
            type = type.substr(1);
        if(inner[0] == '&')
            inner = inner.substr(1);
        if(type != inner && type != "void")
        {
            CXCursor t = kids[0].kind == K_DeclRef ? clang_getCursorReferenced(kids[0]) : clang_getNullCursor();
            bool enumerator = !clang_Cursor_isNull(t) && t.kind == K_EnumConstant;
            if(!enumerator && constant(c))
                return;
            out_ += "[\"c\",\"" + type + "\",\"" + inner + "\",";
            expression(kids[0]);
            out_ += ']';
        }
        else
            expression(kids[0]);
        return;
    }
    case K_Call:
        if(!constant(c))
            call(c);
        return;
    case K_Binary:
    case K_CompoundAssign:
        if(c.kind == K_Binary && constant(c))
            return;
        kids = children_of(c);
        if(kids.size() != 2)
        {
            opaque(c);
            return;
        }
        out_ += "[\"b\"," + std::to_string(clang_getCursorBinaryOperatorKind(c)) + ",\""
                + type_code(clang_getCursorType(c)) + "\",";
        expression(kids[0]);
        out_ += ',';
        expression(kids[1]);
        out_ += ']';
        return;
    case K_Unary:
        kids = children_of(c);
        if(kids.size() != 1)
        {
            if(!constant(c))
                opaque(c);
            return;
        }
        if(constant(c))
            return;
        out_ += "[\"u\"," + std::to_string(clang_getCursorUnaryOperatorKind(c)) + ",\""
                + type_code(clang_getCursorType(c)) + "\",";
        expression(kids[0]);
        out_ += ']';
        return;
    case K_Conditional:
        kids = children_of(c);
        if(kids.size() != 3 || constant(c))
        {
            if(kids.size() != 3)
                opaque(c);
            return;
        }
        out_ += "[\"?\",\"" + type_code(clang_getCursorType(c)) + "\",";
        for(int i = 0; i < 3; ++i)
        {
            if(i)
                out_ += ',';
            expression(kids[size_t(i)]);
        }
        out_ += ']';
        return;
    case K_MemberRefExpr:
        if(constant(c))
            return;
        out_ += "[\"m\",";
        json_string(out_, take(clang_getCursorSpelling(c)));
        out_ += ",\"" + type_code(clang_getCursorType(c)) + "\",";
        kids = children_of(c);
        if(kids.empty())
            out_ += "[\"g\",\"this\",\"p\"]"; // not written, but meant
        else
            expression(kids[0]);
        out_ += ']';
        return;
    case K_ArraySubscript:
        kids = children_of(c);
        if(kids.size() != 2)
        {
            opaque(c);
            return;
        }
        out_ += "[\"i\",\"" + type_code(clang_getCursorType(c)) + "\",";
        expression(kids[0]);
        out_ += ',';
        expression(kids[1]);
        out_ += ']';
        return;
    case K_This: out_ += "[\"g\",\"this\",\"p\"]"; return;
    case K_NullPtrLiteral: out_ += "[\"k\",0,\"p\",\"nullptr\"]"; return;
    case K_InitList:
        out_ += "[\"l\",[";
        kids = children_of(c);
        for(size_t i = 0; i < kids.size(); ++i)
        {
            if(i)
                out_ += ',';
            expression(kids[i]);
        }
        out_ += "]]";
        return;
    case K_Lambda: out_ += "[\"lambda\"]"; return;
    case K_Throw: out_ += "[\"x\",\"throw\",\"void\",[]]"; return;
    default:
        if(constant(c))
            return;
        if(clang_isExpression(c.kind))
            opaque(c);
        else
            out_ += "[\"x\",\"\",\"?\",[]]";
    }
}

} // namespace rq

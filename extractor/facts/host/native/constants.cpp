// What variables with global storage hold, where nothing ever changes it.
#include "bodies.hpp"

#include <algorithm>

namespace rq {

// Whether an initialiser is a number, made to an object by constructors at most; anything longer is left alone.
static bool plain(const CXCursor& c, int& left)
{
    if(--left < 0 || c.kind == K_InitList || c.kind == K_Lambda || c.kind == K_StringLiteral)
        return false;
    if(c.kind == K_Call)
    {
        CXCursor callee = clang_getCursorReferenced(c);
        if(clang_Cursor_isNull(callee) || callee.kind != K_Constructor)
            return false;
    }
    if(c.kind == K_DeclRef || c.kind == K_MemberRefExpr || c.kind == K_ArraySubscript)
    {
        CXCursor target = clang_getCursorReferenced(c);
        if(clang_Cursor_isNull(target) || target.kind != K_EnumConstant)
            return false;
    }
    for(const CXCursor& k : children_of(c))
        if(clang_isExpression(k.kind) && !plain(k, left))
            return false;
    return true;
}

bool Bodies::spread(const CXCursor& c, long long& low, long long& high, long long& count)
{
    if(c.kind == K_InitList)
    {
        for(const CXCursor& k : children_of(c))
            if(!spread(k, low, high, count))
                return false;
        return true;
    }
    std::string code = type_code(clang_getCursorType(c));
    if(!clang_isExpression(c.kind) || (code[0] != 'i' && code[0] != 'u'))
        return false;
    CXEvalResult r     = clang_Cursor_Evaluate(c);
    bool         known = r && clang_EvalResult_getKind(r) == 1;
    if(known)
    {
        long long value = clang_EvalResult_getAsLongLong(r);
        low             = std::min(low, value);
        high            = std::max(high, value);
        ++count;
    }
    if(r)
        clang_EvalResult_dispose(r);
    return known;
}

bool Bodies::unchanging(const CXCursor& variable)
{
    CXType   type = clang_getCanonicalType(clang_getCursorType(variable));
    CXCursor init = clang_Cursor_getVarDeclInitializer(variable);
    int      left = 12;
    if(clang_Cursor_isNull(init) || !clang_isConstQualifiedType(type) || type.kind != T_Record || !plain(init, left))
        return false;
    expression(init);
    return true;
}

std::string Bodies::extremes(const CXCursor& variable)
{
    CXType whole   = clang_getCursorType(variable);
    CXType element = clang_getCanonicalType(whole);
    // An array is constant where its elements are; the type as written or the canonical one says so.
    bool steady = clang_isConstQualifiedType(whole) || clang_isConstQualifiedType(element);
    int  depth  = 0;
    while(element.kind == T_ConstantArray)
    {
        element = clang_getArrayElementType(element);
        steady  = steady || clang_isConstQualifiedType(element);
        element = clang_getCanonicalType(element);
        steady  = steady || clang_isConstQualifiedType(element);
        ++depth;
    }
    CXCursor    init = clang_Cursor_getVarDeclInitializer(variable);
    std::string code = type_code(element);
    if(!depth || clang_Cursor_isNull(init) || !steady || (code[0] != 'i' && code[0] != 'u'))
        return "";
    long long low = 1LL << 62, high = -low, count = 0;
    if(!spread(init, low, high, count) || !count)
        return "";
    long long bytes = clang_Type_getSizeOf(clang_getCanonicalType(clang_getCursorType(variable)));
    if(bytes > count * clang_Type_getSizeOf(element)) // elements that are not written are zero
        low = std::min(low, 0LL), high = std::max(high, 0LL);
    return "," + std::to_string(low) + "," + std::to_string(high);
}

} // namespace rq

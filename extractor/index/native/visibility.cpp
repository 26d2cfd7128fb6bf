// What other units can share with this one, and what is a template's pattern rather than a function.
#include "unit.hpp"

namespace rq {

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

} // namespace rq

// Writes syntax trees of chosen functions of one translation unit.
#pragma once

#include "names.hpp"

#include <set>
#include <unordered_set>
#include <utility>

extern "C" {
// More of libclang's stable interface than the index calls.
CXString  clang_getTypeSpelling(CXType);
long long clang_Type_getSizeOf(CXType);
long long clang_getArraySize(CXType);
int       clang_getCursorUnaryOperatorKind(CXCursor);
long long clang_Cursor_getTemplateArgumentValue(CXCursor, unsigned);
}

enum {
    K_EnumConstant = 7, K_TypeParameter = 27, K_ConstantParameter = 28, K_TemplateParameter = 29,
    K_Integer = 106, K_Floating = 107, K_Character = 110, K_CompoundAssign = 115, K_Bool = 130
};
enum { T_Bool = 3 };

namespace rqf {

inline std::vector<CXCursor> children_of(const CXCursor& c)
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

inline bool is_function(int kind)
{
    return kind == K_Function || kind == K_Method || kind == K_Constructor || kind == K_Destructor
           || kind == K_Conversion;
}

// Lines and columns from 1; byte offsets with the end exclusive.
struct Place
{
    int      file = -1;
    unsigned line = 0, column = 0, end_line = 0, begin = 0, end = 0;
};

struct Type
{
    std::string name;
    int         kind = 0;
    long long   size = -1;
    int         inner = -1; // what a pointer, a reference or an array is of
    long long   count = -1; // of an array
    bool        constant = false;
};

class Trees
{
public:
    Trees(std::string root, const char* const* symbols, int count)
        : files_(std::move(root))
        , wanted_(symbols, symbols + count)
    {
    }
    std::string collect(CXIndex index, CXTranslationUnit tu);

private:
    std::string text_of(const Place& p);
    std::string spelled(const CXCursor& c);
    Place       place_of(const CXCursor& c);
    int         type_id(CXType type);
    int         decl_id(const CXCursor& c);
    bool        constant(const CXCursor& c, long long& value);
    std::string call_extra(const CXCursor& c, const std::vector<CXCursor>& kids, std::vector<std::string>& out);
    std::string declared(const CXCursor& c, std::vector<std::string>& kids);
    std::string node(const CXCursor& c);
    int         request(const CXCursor& f);
    std::string function(int id, const CXCursor& f);
    void        meet(const CXCursor& c);

    rq::FileTable                             files_;
    std::set<std::string>                     wanted_;
    std::unordered_map<int, std::string>      texts_;
    std::unordered_map<std::string, int>      type_ids_;
    std::vector<Type>                         types_;
    std::unordered_map<const void*, int>      decls_;
    std::unordered_map<const void*, int>      functions_;
    std::unordered_set<const void*>           met_;
    std::vector<std::pair<int, CXCursor>>     work_;
};

} // namespace rqf

// Bodies of instantiated host functions as compact JSON trees, for the symbolic walk in Python.
#pragma once

#include "names.hpp"

#include <unordered_map>
#include <unordered_set>
#include <vector>

extern "C" {
int    clang_getCursorUnaryOperatorKind(CXCursor);
double clang_EvalResult_getAsDouble(CXEvalResult);
long long clang_Type_getSizeOf(CXType);
CXType clang_getEnumDeclIntegerType(CXCursor);
CXString clang_getTypeSpelling(CXType);
long long clang_getEnumConstantDeclValue(CXCursor);
CXType clang_getArgType(CXType, unsigned);
}

namespace rq {

enum MoreKinds : int {
    K_EnumConstant = 7, K_IntegerLiteral = 106, K_StringLiteral = 109, K_CompoundAssign = 115,
    K_ArraySubscript = 113, K_CStyleCast = 117, K_StaticCast = 124, K_ReinterpretCast = 126,
    K_ConstCast = 127, K_FunctionalCast = 128, K_This = 132, K_NullPtrLiteral = 131
};

enum MoreTypes : int { T_Record = 105, T_ConstantArray = 112 };

class Bodies
{
public:
    Bodies(CXTranslationUnit tu, std::string root, std::unordered_set<std::string> wanted)
        : files_(std::move(root))
        , tu_(tu)
        , wanted_(std::move(wanted))
    {
    }
    void        collect(CXIndex index);
    std::string text; // one JSON object a line for each function found

    void root(CXCursor c);

private:
    void function(const CXCursor& c);
    void statement(const CXCursor& c);
    void statements(const std::vector<CXCursor>& kids);
    void for_loop(const CXCursor& c);
    void variable(const CXCursor& c);
    void expression(const CXCursor& c);
    bool constant(const CXCursor& c);
    // Writes what a constant object begins with, where that is plain to see.
    bool unchanging(const CXCursor& variable);
    // Smallest and largest element of an array of constants, each behind a comma; empty for others.
    std::string extremes(const CXCursor& variable);
    // Smallest and largest of an initialiser's numbers, and how many there are; false where one is not known.
    bool spread(const CXCursor& initial, long long& low, long long& high, long long& count);
    void call(const CXCursor& c);
    void launch(const CXCursor& c, const CXCursor& callee, const std::vector<CXCursor>& kids);
    void arguments(const CXCursor& c);
    void reference(const CXCursor& c, const CXCursor& target);
    void opaque(const CXCursor& c);
    void place(const CXCursor& c);
    void head(const char* tag, const CXCursor& c);
    std::string type_code(CXType t);
    std::string source_of(const CXCursor& c);
    std::string symbol_of(const CXCursor& c);
    int         number_of(const CXCursor& declaration);

    FileTable                                    files_;
    CXTranslationUnit                            tu_;
    std::unordered_set<std::string>              wanted_;
    std::unordered_set<const void*>              seen_;
    std::unordered_map<const void*, std::string> symbols_;
    std::unordered_map<const void*, int>         numbers_;
    std::unordered_map<int, std::string>         texts_;
    std::vector<CXCursor>                        work_;
    std::string                                  out_;
};

std::vector<CXCursor> children_of(const CXCursor& c);

} // namespace rq

// The part of libclang's stable C interface that the indexer calls. The libclang wheel ships the
// library without headers, so the declarations stand here; names and layouts are libclang's own.
#pragma once

extern "C" {

typedef void* CXIndex;
typedef struct CXTranslationUnitImpl* CXTranslationUnit;
typedef void* CXFile;
typedef void* CXIndexAction;
typedef void* CXClientData;
typedef void* CXEvalResult;
typedef void* CXDiagnostic;

struct CXString { const void* data; unsigned flags; };
struct CXCursor { int kind; int xdata; const void* data[3]; };
struct CXType { int kind; void* data[2]; };
struct CXSourceLocation { const void* ptr_data[2]; unsigned int_data; };
struct CXSourceRange { const void* ptr_data[2]; unsigned begin_int_data; unsigned end_int_data; };
struct CXUnsavedFile { const char* filename; const char* contents; unsigned long length; };
struct CXStringSet { CXString* strings; unsigned count; };

struct CXIdxLoc { void* ptr_data[2]; unsigned int_data; };
struct CXIdxContainerInfo { CXCursor cursor; };
struct CXIdxEntityInfo {
    int kind, template_kind, lang;
    const char *name, *usr;
    CXCursor cursor;
    const void* attributes;
    unsigned attribute_count;
};
struct CXIdxDeclInfo {
    const CXIdxEntityInfo* entity;
    CXCursor cursor;
    CXIdxLoc loc;
    const CXIdxContainerInfo *semantic_container, *lexical_container;
    int is_redeclaration, is_definition, is_container;
    const CXIdxContainerInfo* decl_as_container;
    int is_implicit;
    const void* attributes;
    unsigned attribute_count;
    unsigned flags;
};
struct CXIdxEntityRefInfo {
    int kind;
    CXCursor cursor;
    CXIdxLoc loc;
    const CXIdxEntityInfo *referenced, *parent;
    const CXIdxContainerInfo* container;
    int role;
};
struct IndexerCallbacks {
    int (*abort_query)(CXClientData, void*);
    void (*diagnostic)(CXClientData, void*, void*);
    void* (*entered_main_file)(CXClientData, CXFile, void*);
    void* (*included_file)(CXClientData, const void*);
    void* (*imported_ast_file)(CXClientData, const void*);
    void* (*started_translation_unit)(CXClientData, void*);
    void (*declaration)(CXClientData, const CXIdxDeclInfo*);
    void (*reference)(CXClientData, const CXIdxEntityRefInfo*);
};

typedef int (*CXCursorVisitor)(CXCursor, CXCursor, CXClientData);
typedef int (*CXFieldVisitor)(CXCursor, CXClientData);

CXIndex clang_createIndex(int exclude_pch_declarations, int display_diagnostics);
void clang_disposeIndex(CXIndex);
int clang_parseTranslationUnit2(CXIndex, const char*, const char* const*, int, CXUnsavedFile*, unsigned,
                                unsigned, CXTranslationUnit*);
int clang_saveTranslationUnit(CXTranslationUnit, const char*, unsigned);
void clang_disposeTranslationUnit(CXTranslationUnit);
unsigned clang_getNumDiagnostics(CXTranslationUnit);
CXDiagnostic clang_getDiagnostic(CXTranslationUnit, unsigned);
int clang_getDiagnosticSeverity(CXDiagnostic);
CXString clang_formatDiagnostic(CXDiagnostic, unsigned);
void clang_disposeDiagnostic(CXDiagnostic);
const char* clang_getCString(CXString);
void clang_disposeString(CXString);
void clang_disposeStringSet(CXStringSet*);

CXIndexAction clang_IndexAction_create(CXIndex);
void clang_IndexAction_dispose(CXIndexAction);
int clang_indexTranslationUnit(CXIndexAction, CXClientData, IndexerCallbacks*, unsigned, unsigned,
                               CXTranslationUnit);

CXCursor clang_getTranslationUnitCursor(CXTranslationUnit);
unsigned clang_visitChildren(CXCursor, CXCursorVisitor, CXClientData);
unsigned clang_visitCXXMethods(CXType, CXFieldVisitor, CXClientData);
unsigned clang_visitCXXBaseClasses(CXType, CXFieldVisitor, CXClientData);
unsigned clang_Type_visitFields(CXType, CXFieldVisitor, CXClientData);
CXCursor clang_getNullCursor(void);
int clang_Cursor_isNull(CXCursor);
CXCursor clang_getCursorReferenced(CXCursor);
CXCursor clang_getCursorDefinition(CXCursor);
CXCursor clang_getCanonicalCursor(CXCursor);
CXCursor clang_getSpecializedCursorTemplate(CXCursor);
CXCursor clang_getCursorSemanticParent(CXCursor);
CXCursor clang_Cursor_getArgument(CXCursor, unsigned);
int clang_Cursor_getNumArguments(CXCursor);
CXCursor clang_Cursor_getVarDeclInitializer(CXCursor);
int clang_Cursor_hasVarDeclGlobalStorage(CXCursor);
unsigned clang_Cursor_hasAttrs(CXCursor);
unsigned clang_Cursor_isFunctionInlined(CXCursor);
unsigned clang_CXXMethod_isVirtual(CXCursor);
unsigned clang_CXXMethod_isDefaulted(CXCursor);
unsigned clang_CXXMethod_isDeleted(CXCursor);
unsigned clang_CXXMethod_isPureVirtual(CXCursor);
unsigned clang_CXXMethod_isConst(CXCursor);
unsigned clang_CXXMethod_isCopyAssignmentOperator(CXCursor);
unsigned clang_CXXMethod_isMoveAssignmentOperator(CXCursor);
unsigned clang_equalCursors(CXCursor, CXCursor);
unsigned clang_CXXConstructor_isDefaultConstructor(CXCursor);
unsigned clang_CXXConstructor_isCopyConstructor(CXCursor);
unsigned clang_CXXConstructor_isMoveConstructor(CXCursor);
void clang_getOverriddenCursors(CXCursor, CXCursor**, unsigned*);
void clang_disposeOverriddenCursors(CXCursor*);
int clang_getCursorLinkage(CXCursor);
int clang_getCursorExceptionSpecificationType(CXCursor);
int clang_getCursorBinaryOperatorKind(CXCursor);
int clang_getCursorUnaryOperatorKind(CXCursor);
int clang_Cursor_getStorageClass(CXCursor);
int clang_Cursor_getNumTemplateArguments(CXCursor);
int clang_Cursor_getTemplateArgumentKind(CXCursor, unsigned);
CXType clang_Cursor_getTemplateArgumentType(CXCursor, unsigned);
int clang_Type_getNumTemplateArguments(CXType);
CXType clang_Type_getTemplateArgumentAsType(CXType, unsigned);
CXString clang_getCursorSpelling(CXCursor);
CXString clang_getCursorUSR(CXCursor);
CXString clang_Cursor_getMangling(CXCursor);
CXSourceRange clang_getCursorExtent(CXCursor);
CXSourceLocation clang_getCursorLocation(CXCursor);
CXSourceLocation clang_getRangeStart(CXSourceRange);
CXSourceLocation clang_getRangeEnd(CXSourceRange);
void clang_getExpansionLocation(CXSourceLocation, CXFile*, unsigned*, unsigned*, unsigned*);
void clang_getSpellingLocation(CXSourceLocation, CXFile*, unsigned*, unsigned*, unsigned*);
void clang_getFileLocation(CXSourceLocation, CXFile*, unsigned*, unsigned*, unsigned*);
CXString clang_getFileName(CXFile);
CXType clang_getCursorType(CXCursor);
CXType clang_getCanonicalType(CXType);
CXType clang_getPointeeType(CXType);
CXType clang_getArrayElementType(CXType);
CXType clang_getResultType(CXType);
CXCursor clang_getTypeDeclaration(CXType);
unsigned clang_isConstQualifiedType(CXType);
unsigned clang_isPODType(CXType);
CXEvalResult clang_Cursor_Evaluate(CXCursor);
int clang_EvalResult_getKind(CXEvalResult);
long long clang_EvalResult_getAsLongLong(CXEvalResult);
void clang_EvalResult_dispose(CXEvalResult);
unsigned clang_isExpression(int);
unsigned clang_isStatement(int);
unsigned clang_isDeclaration(int);
unsigned clang_isAttribute(int);
}

// Cursor kinds, as libclang numbers them.
enum Kind : int {
    K_UnexposedDecl = 1,
    K_Struct = 2, K_Union = 3, K_Class = 4, K_Field = 6, K_Function = 8, K_Var = 9, K_Parm = 10,
    K_Method = 21, K_Namespace = 22, K_LinkageSpec = 23, K_Constructor = 24, K_Destructor = 25,
    K_Conversion = 26, K_FunctionTemplate = 30, K_ClassTemplate = 31, K_ClassPartial = 32,
    K_TypeRef = 43, K_BaseSpecifier = 44, K_TemplateRef = 45, K_NamespaceRef = 46, K_MemberRef = 47,
    K_Unexposed = 100, K_DeclRef = 101, K_MemberRefExpr = 102, K_Call = 103, K_Paren = 111, K_Unary = 112,
    K_Binary = 114, K_Conditional = 116, K_InitList = 119, K_Throw = 133, K_New = 134, K_Delete = 135,
    K_UnaryExpr = 136, K_Lambda = 144,
    K_Label = 201, K_Compound = 202, K_Case = 203, K_Default = 204, K_If = 205, K_Switch = 206,
    K_While = 207, K_Do = 208, K_For = 209, K_Goto = 210, K_IndirectGoto = 211, K_Continue = 212,
    K_Break = 213, K_Return = 214, K_Catch = 223, K_Try = 224, K_ForRange = 225, K_DeclStmt = 231,
    K_TranslationUnit = 350, K_FinalAttr = 404, K_DeviceAttr = 413, K_GlobalAttr = 414, K_HostAttr = 415, K_SharedAttr = 416
};
enum { O_LogicalAnd = 20, O_LogicalOr = 21, O_Comma = 33, O_Not = 10 };
enum { T_LvalueReference = 103, T_RvalueReference = 104, T_VariableArray = 115 };
enum { VisitBreak = 0, VisitContinue = 1, VisitRecurse = 2 };
enum { LinkageNone = 1, LinkageInternal = 2, LinkageUniqueExternal = 3, LinkageExternal = 4 };

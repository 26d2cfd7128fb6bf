// One translation unit as a graph: functions at instantiation level, the calls and launches between them.
#pragma once

#include "names.hpp"

#include <deque>
#include <set>
#include <tuple>
#include <unordered_set>

namespace rq {

enum class EdgeKind : char { Call = 'c', Reference = 'r', Launch = 'l' };

struct Edge
{
    int      callee;
    EdgeKind kind;
    Site     site;
    int      dead;   // index into the reasons, 0 = alive
    int      nth;    // among the launches that begin on one line, source order; -1 for calls
};

enum Flag : unsigned {
    F_Defined = 1, F_Kernel = 2, F_Device = 4, F_Host = 8, F_Internal = 16, F_Inline = 32,
    F_Instantiation = 64, F_Project = 128, F_Variable = 256, F_Lambda = 512, F_Implicit = 1024,
    F_CLinkage = 2048, F_Weak = 8192, F_Seen = 4096
};

struct Function
{
    CXCursor          cursor; // definition when there is one
    std::string       mangled;
    uint64_t          id    = 0;
    unsigned          flags = 0;
    Site              extent;
    unsigned          body = 0; // offset of the body's first byte, 0 when unknown
    std::vector<Edge> edges;
    std::set<std::tuple<int, int, int, unsigned>> known; // callee, kind and deadness, file, offset
    std::vector<std::pair<Site, int>> indirect; // calls through a pointer, with the reason when dead
};

class Unit
{
public:
    Unit(CXTranslationUnit tu, std::string root, bool device)
        : files(std::move(root))
        , tu_(tu)
        , device_(device)
    {
        reasons.push_back("");
    }
    void        collect(CXIndex index);
    std::string to_json();

    FileTable                files;
    std::vector<std::string> reasons;

    // Called back by libclang's indexer.
    void root(CXCursor c);
    void reference(const CXIdxEntityRefInfo* info);

private:
    struct ClassFacts
    {
        bool             has_virtual = false;
        bool             known       = false;
        std::vector<int> destructor; // functions a destruction calls
    };

    int  intern(CXCursor c);
    int  intern_variable(CXCursor c);
    void visit_function(int f);
    void visit_variable(int f);
    void implicit_construction(int f, const std::vector<CXCursor>& written);
    void implicit_destruction(int f);
    bool may_throw(const CXCursor& member, bool written);
    bool initialises(const CXCursor& part);
    int  folded(const CXCursor& condition, int dead);
    bool is_computed(const CXCursor& known);
    bool decides(const CXCursor& known);
    void virtual_table(int f);
    bool through_table(const CXCursor& call, const CXCursor& callee, const std::vector<CXCursor>& kids);
    bool destroyed_through_table(CXType type);
    void lambda_member(const CXCursor& from, const char* name, EdgeKind kind);

    bool statement(const CXCursor& c, int dead);
    void expression(const CXCursor& c, int dead);
    void condition(const CXCursor& c, int dead);
    void logical(const std::vector<CXCursor>& kids, bool conjunction, bool branches, int dead);
    void call(const CXCursor& c, int dead, const std::vector<CXCursor>& kids);
    bool compound(const std::vector<CXCursor>& kids, int dead);
    bool if_statement(const std::vector<CXCursor>& kids, int dead);
    bool deduces_its_result(int f);
    bool constant_structure(const CXCursor& variable);
    bool returned_in_place(const CXCursor& statement);
    bool try_statement(const std::vector<CXCursor>& kids, int dead);
    bool switch_statement(const std::vector<CXCursor>& kids, int dead);
    void declared_variable(const CXCursor& c, int dead);
    void structured_binding(const CXCursor& c, int dead);
    void initializer_list(const CXCursor& c, int dead);
    void listed(const CXCursor& target, const CXCursor& at);
    void from_index(const CXCursor& list, int dead);
    void range_loop(const std::vector<CXCursor>& kids, int dead);
    CXType member_call(CXType type, const char* name, const CXCursor& at, int dead);
    void allocation(CXType type, const char* name, const CXCursor& at, int dead);
    bool computed_at_compile_time(const CXCursor& variable);
    void default_argument(const CXCursor& callee, unsigned nth, int dead);
    void destroy(CXType type, const CXCursor& at, int dead);
    void add(int callee, EdgeKind kind, const CXCursor& at, int dead);

    std::vector<int> destructors_of(CXType type);
    CXType           element_type(CXType type);
    unsigned         attribute_flags(const CXCursor& c);
    bool             is_pattern(CXCursor c);
    bool             externally_visible(CXCursor c);
    bool             type_visible(CXType type, int depth);
    bool             constant(const CXCursor& c, long long& value);
    int              reason(const std::string& text, const CXCursor& at);
    Site             site_of(const CXCursor& c);
    std::string      source_text(const Site& s);
    std::vector<char> emitted();
    std::string      qualified_name(const CXCursor& c);
    bool             calls_nothing(int f);
    bool             is_copy(const CXCursor& method, bool assignment);
    bool             begins_with(const CXCursor& c, const char* word);

    CXTranslationUnit                          tu_;
    bool                                       device_;
    std::vector<Function>                      functions_;
    std::unordered_map<const void*, int>       by_decl_;
    std::unordered_map<const void*, ClassFacts> classes_;
    std::unordered_map<const void*, bool>      pattern_;
    std::unordered_map<const void*, bool>      in_place_; // local variables that are made where the result goes
    std::unordered_set<const void*>            roots_seen_;
    std::deque<int>                            work_;
    std::unordered_map<std::string, int>       reason_ids_;
    std::unordered_map<int, std::string>       texts_;
    int                                        main_file_      = -1;
    int                                        current_        = -1;
    const void*                                pending_callee_ = nullptr;
    bool                                       elide_          = false;
    bool                                       throws_         = false; // something that runs may throw
    bool                                       in_list_        = false; // inside an initialiser list
    std::unordered_set<std::string>            listed_;                 // what the walk saw there, by place
    std::vector<Site>                          lambda_bodies_;          // that stand there
    std::unordered_map<const void*, std::vector<CXCursor>> references_; // by function or variable
};

std::vector<CXCursor> children_of(const CXCursor& c);

// What stands inside implicit conversions and parentheses, and what a template parameter stands for.
CXCursor unwrapped(CXCursor c);

// What a template parameter stands for hides below a reference to nothing.
inline bool is_substituted(const CXCursor& c)
{
    return c.kind == K_DeclRef && clang_Cursor_isNull(clang_getCursorReferenced(c));
}

inline bool is_function(int kind)
{
    return kind == K_Function || kind == K_Method || kind == K_Constructor || kind == K_Destructor
           || kind == K_Conversion;
}

// An expression that names a function and does nothing with it: `(void)f<T>;`.
bool only_names_a_function(CXCursor c);

// Whether a call stands anywhere below, bodies of lambdas aside.
bool holds_call(const CXCursor& c);

// Whether a function says that it does not throw.
bool says_noexcept(const CXCursor& function);

// A cast that names its type: what stands below it before the last child belongs to the type.
inline bool is_explicit_cast(int kind)
{
    return kind == 117 || (kind >= 124 && kind <= 128);
}

inline bool is_record(int kind)
{
    return kind == K_Struct || kind == K_Class || kind == K_Union;
}

} // namespace rq

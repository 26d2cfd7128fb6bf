// Functions of a unit: where they come from, how they are named, in which order they are visited.
#include "unit.hpp"

namespace rq {

std::vector<CXCursor> children_of(const CXCursor& c)
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

unsigned Unit::attribute_flags(const CXCursor& c)
{
    unsigned flags = 0;
    if(!clang_Cursor_hasAttrs(c))
        return flags;
    const int unexposed = 400;
    for(const CXCursor& k : children_of(c))
        if(k.kind == unexposed)
        {
            // libclang has no name for these attributes; their spelling has.
            std::string text = source_text(site_of(k));
            if(text == "weak" || text == "__weak__" || text == "gnu::weak" || text == "selectany")
                flags |= F_Weak;
        }
    clang_visitChildren(
        c,
        [](CXCursor k, CXCursor, CXClientData d) -> int {
            unsigned& f = *static_cast<unsigned*>(d);
            if(k.kind == K_GlobalAttr)
                f |= F_Kernel;
            else if(k.kind == K_DeviceAttr)
                f |= F_Device;
            else if(k.kind == K_HostAttr)
                f |= F_Host;
            return VisitContinue;
        },
        &flags);
    return flags;
}

// On the host side a kernel carries the symbol of its launch stub; the kernel's own drops the mark. The length
// before the name ends with the stub's; digits before it may belong to an enclosing name (`_GLOBAL__N_1`).
static std::string kernel_symbol(std::string mangled, const std::string& name)
{
    static const std::string mark = "__device_stub__";
    size_t                   at   = mangled.find(mark + name);
    if(at == std::string::npos)
        return mangled;
    std::string stub = std::to_string(mark.size() + name.size());
    if(at >= stub.size() && mangled.compare(at - stub.size(), stub.size(), stub) == 0)
        return mangled.substr(0, at - stub.size()) + std::to_string(name.size()) + mangled.substr(at + mark.size());
    return mangled.substr(0, at) + mangled.substr(at + mark.size());
}

Site Unit::site_of(const CXCursor& c)
{
    Site          s;
    CXSourceRange r = clang_getCursorExtent(c);
    CXFile        f = nullptr, g = nullptr;
    unsigned      col;
    clang_getExpansionLocation(clang_getRangeStart(r), &f, &s.line, &col, &s.begin);
    clang_getExpansionLocation(clang_getRangeEnd(r), &g, &s.end_line, &col, &s.end);
    if(f == g && s.end <= s.begin)
    {
        // Inside an argument of a macro, which stands in the file as it is.
        clang_getFileLocation(clang_getRangeStart(r), &f, &s.line, &col, &s.begin);
        clang_getFileLocation(clang_getRangeEnd(r), &g, &s.end_line, &col, &s.end);
    }
    s.file = files.index_of(f);
    if(f != g)
    {
        s.end_line = s.line;
        s.end      = s.begin;
    }
    return s;
}

int Unit::intern(CXCursor c)
{
    if(is_pattern(c))
        return -1;
    CXCursor    canonical = clang_getCanonicalCursor(c);
    const void* key       = canonical.data[0];
    auto        it        = by_decl_.find(key);
    if(it != by_decl_.end())
        return it->second;
    int id        = int(functions_.size());
    by_decl_[key] = id;
    functions_.emplace_back();

    CXCursor def = clang_getCursorDefinition(c);
    Function f;
    f.flags = attribute_flags(c);
    if(!clang_Cursor_isNull(def) && is_function(def.kind))
    {
        f.cursor = def;
        f.flags |= F_Defined | attribute_flags(def);
    }
    else
        f.cursor = c;
    if(f.flags & F_Kernel)
        f.flags &= ~unsigned(F_Device | F_Host);
    f.extent   = site_of(f.cursor);
    f.mangled  = kernel_symbol(take(clang_Cursor_getMangling(f.cursor)), take(clang_getCursorSpelling(f.cursor)));
    if(!externally_visible(f.cursor))
        f.flags |= F_Internal;
    if(clang_Cursor_isFunctionInlined(f.cursor))
        f.flags |= F_Inline;
    CXCursor pattern = clang_getSpecializedCursorTemplate(f.cursor);
    if(!clang_Cursor_isNull(pattern))
    {
        // An explicit specialization stands at a place of its own; an instantiation at its pattern's.
        CXCursor source = clang_getCursorDefinition(pattern);
        Site     where  = site_of(clang_Cursor_isNull(source) ? pattern : source);
        if(where.file == f.extent.file && where.end == f.extent.end)
        {
            f.flags |= F_Instantiation;
            if(where.begin <= f.extent.begin)
                f.extent = where;
        }
    }
    if(f.extent.file >= 0 && files[f.extent.file].project)
        f.flags |= F_Project;
    CXCursor parent = clang_getCursorSemanticParent(f.cursor);
    if(is_record(parent.kind) && take(clang_getCursorSpelling(parent)).find("(lambda") != std::string::npos)
    {
        f.flags |= F_Lambda;
        Site whole = site_of(parent); // libclang starts a call operator behind its introducer
        if(whole.file == f.extent.file && whole.begin < f.extent.begin)
        {
            f.extent.line  = whole.line;
            f.extent.begin = whole.begin;
        }
    }
    if(f.mangled.empty())
    {
        // A template's pattern, reached as the plain function inside it: only its instantiations have symbols.
        functions_.pop_back();
        by_decl_[key] = -1;
        return -1;
    }
    if(f.mangled.compare(0, 2, "_Z") != 0)
        f.flags |= F_CLinkage;
    std::string identity = f.mangled;
    if((f.flags & F_Internal) && f.extent.file >= 0)
        identity += '\n' + files[f.extent.file].name;
    // Lambdas outside any function with external linkage share one mangled name.
    if((f.flags & F_Internal) && (f.flags & F_Lambda))
        identity += ':' + std::to_string(f.extent.begin) + ':' + take(clang_getCursorUSR(f.cursor));
    f.id = hash63(identity);

    bool body_matters = (f.flags & F_Defined) && !is_pattern(f.cursor)
                        && (device_ || !(f.flags & F_Kernel));
    functions_[size_t(id)] = std::move(f);
    if(body_matters)
        work_.push_back(id);
    return id;
}

int Unit::intern_variable(CXCursor c)
{
    CXCursor    canonical = clang_getCanonicalCursor(c);
    const void* key       = canonical.data[0];
    auto        it        = by_decl_.find(key);
    if(it != by_decl_.end())
        return it->second;
    CXCursor def = clang_getCursorDefinition(c);
    if(clang_Cursor_isNull(def))
        def = c;
    if(is_pattern(def))
        return -1;
    CXCursor scope = clang_getCursorSemanticParent(def);
    if(is_function(scope.kind) || scope.kind == K_FunctionTemplate)
        return -1; // a static local: its initialiser is visited where it stands
    CXCursor init = clang_Cursor_getVarDeclInitializer(def);
    Site     at   = site_of(def);
    if(clang_Cursor_isNull(init) || at.file < 0 || !files[at.file].project)
    {
        by_decl_[key] = -1;
        return -1;
    }
    int id        = int(functions_.size());
    by_decl_[key] = id;
    Function f;
    f.cursor  = def;
    f.flags   = F_Defined | F_Variable | F_Project;
    f.extent  = at;
    f.mangled = take(clang_Cursor_getMangling(def));
    if(clang_getCursorLinkage(def) != LinkageExternal)
        f.flags |= F_Internal;
    std::string identity = f.mangled;
    if(f.flags & F_Internal)
        identity += '\n' + files[at.file].name;
    f.id = hash63(identity);
    functions_.push_back(std::move(f));
    work_.push_back(id);
    return id;
}

void Unit::root(CXCursor c)
{
    if(!is_function(c.kind) || is_pattern(c))
        return;
    if(!roots_seen_.insert(c.data[0]).second)
        return;
    CXCursor def = clang_getCursorDefinition(c);
    if(clang_Cursor_isNull(def) || !is_function(def.kind))
        return;
    Site at = site_of(def);
    if(at.file < 0 || !files[at.file].project)
        return;
    int f = intern(def);
    if(f >= 0)
        functions_[size_t(f)].flags |= F_Seen;
}

void Unit::reference(const CXIdxEntityRefInfo* info)
{
    if(!info->container)
        return;
    root(info->container->cursor);
    if(info->cursor.kind != K_Call && info->cursor.kind != K_DeclRef)
        return;
    if(is_function(info->container->cursor.kind))
        references_[info->container->cursor.data[0]].push_back(info->cursor);
    else if(info->parent && info->parent->cursor.kind == K_Var)
        references_[info->parent->cursor.data[0]].push_back(info->cursor);
}

void Unit::visit_function(int f)
{
    current_        = f;
    pending_callee_ = nullptr;
    elide_          = false;
    throws_         = false;
    CXCursor              c = functions_[size_t(f)].cursor;
    std::vector<CXCursor> written;
    for(const CXCursor& k : children_of(c))
    {
        if(clang_isAttribute(k.kind) || k.kind == K_Parm || k.kind == K_TypeRef)
        {
            if(k.kind == K_TypeRef && c.kind == K_Constructor)
                written.push_back(clang_getCursorReferenced(k));
            continue;
        }
        if(k.kind == K_MemberRef)
            written.push_back(clang_getCursorReferenced(k));
        else if(clang_isStatement(k.kind))
        {
            if(!functions_[size_t(f)].body)
                functions_[size_t(f)].body = site_of(k).begin;
            statement(k, 0);
        }
        else if(clang_isExpression(k.kind) && c.kind == K_Constructor)
        {
            elide_ = true; // a member or base is built in place
            expression(k, 0);
            elide_ = false;
        }
    }
    if(c.kind == K_Constructor)
    {
        implicit_construction(f, written);
        virtual_table(f);
    }
    else if(c.kind == K_Destructor)
        implicit_destruction(f);
    else if((functions_[size_t(f)].flags & F_Lambda) && c.kind == K_Conversion)
        lambda_member(c, "__invoke", EdgeKind::Reference);
    else if((functions_[size_t(f)].flags & F_Lambda) && take(clang_getCursorSpelling(c)) == "__invoke")
        lambda_member(c, "operator()", EdgeKind::Call);
}

// A captureless lambda as a function pointer: the conversion yields a static function that the compiler
// provides, and that one runs the call operator.
void Unit::lambda_member(const CXCursor& from, const char* name, EdgeKind kind)
{
    struct Found { Unit* unit; const char* name; EdgeKind kind; } found{this, name, kind};
    clang_visitCXXMethods(
        clang_getCursorType(clang_getCursorSemanticParent(from)),
        [](CXCursor m, CXClientData d) -> int {
            Found* x = static_cast<Found*>(d);
            if(m.kind == K_Method && take(clang_getCursorSpelling(m)) == x->name)
                x->unit->add(x->unit->intern(m), x->kind, m, 0);
            return VisitContinue;
        },
        &found);
}

void Unit::visit_variable(int f)
{
    current_        = f;
    pending_callee_ = nullptr;
    elide_          = false;
    expression(clang_Cursor_getVarDeclInitializer(functions_[size_t(f)].cursor), 0);
}

void Unit::collect(CXIndex index)
{
    IndexerCallbacks callbacks = {};
    callbacks.declaration      = [](CXClientData d, const CXIdxDeclInfo* i) {
        Unit* u = static_cast<Unit*>(d);
        if(i->cursor.kind == K_Var)
        {
            if(clang_Cursor_hasVarDeclGlobalStorage(i->cursor))
                u->intern_variable(i->cursor);
        }
        else if(i->is_definition)
            u->root(i->cursor);
    };
    callbacks.entered_main_file = [](CXClientData d, CXFile f, void*) -> void* {
        Unit* u       = static_cast<Unit*>(d);
        u->main_file_ = u->files.index_of(f);
        return nullptr;
    };
    callbacks.reference = [](CXClientData d, const CXIdxEntityRefInfo* i) {
        static_cast<Unit*>(d)->reference(i);
    };
    CXIndexAction action = clang_IndexAction_create(index);
    // Option 4: index implicit template instantiations.
    clang_indexTranslationUnit(action, this, &callbacks, sizeof callbacks, 4, tu_);
    clang_IndexAction_dispose(action);
    while(!work_.empty())
    {
        int f = work_.front();
        work_.pop_front();
        if(functions_[size_t(f)].flags & F_Variable)
            visit_variable(f);
        else
            visit_function(f);
    }
}

} // namespace rq

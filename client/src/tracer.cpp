#include "pgcoord/tracer.hpp"

namespace pgcoord {

Span::~Span() = default;
void Span::set_attribute(std::string_view, const TraceValue&) {}
void Span::set_error(std::string_view) {}

Tracer::~Tracer() = default;
std::unique_ptr<Span> Tracer::start_span(std::string_view, const TraceAttributes&) { return nullptr; }

}  // namespace pgcoord

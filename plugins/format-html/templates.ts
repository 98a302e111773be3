import { Eta } from 'eta';

const eta = new Eta({ autoEscape: true, cache: true, autoTrim: [false, false], rmWhitespace: true });

eta.loadTemplate(
  '@begin',
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title><%= it.title %></title>
<style><%~ it.style %></style>
</head>
<body>
<header class="top">
<a class="brand" href="<%= it.home %>">Horarium</a>
<nav aria-label="Sections">
<% for (const link of it.sections) { %><a href="<%= link.href %>"<% if (link.name === it.section) { %> aria-current="page"<% } %>><%= link.name %></a>
<% } %></nav>
</header>
<main>
<p class="trail"><% for (const link of it.trail) { %><a href="<%= link.href %>"><%= link.name %></a> › <% } %></p>
<div class="head">
<h1><%= it.heading %><% if (it.state) { %> <%~ include('@cell', it.state) %><% } %><% if (it.aside) { %> <small><%= it.aside %></small><% } %></h1>
<% if (it.formats.length > 0) { %><div class="formats"><% for (const link of it.formats) { %><% if (link.name === 'html') { %><span aria-current="page">html</span><% } else { %><a href="<%= link.href %>"><%= link.name %></a><% } %>
<% } %></div><% } %>
</div>
`,
);

eta.loadTemplate('@lead', `<p class="lead"><%= it.text %></p>\n`);

eta.loadTemplate(
  '@warnings',
  `<% for (const warning of it.warnings) { %><p class="warning" role="status"><%= warning %></p>
<% } %>`,
);

eta.loadTemplate('@end', `</main>\n<% if (it.times) { %><footer>Times are UTC.</footer>\n<% } %></body>\n</html>\n`);

eta.loadTemplate(
  '@record',
  `<% if (it.related.length > 0) { %><p class="row related"><% for (const link of it.related) { %><a href="<%= link.href %>"><%= link.name %></a>
<% } %></p><% } %>
<table class="record"><tbody>
<% for (const { name, cell } of it.members) { %><tr><th scope="row"><%= name %></th><td><%~ include('@cell', cell) %></td></tr>
<% } %><% if (it.unset.length > 0) { %><tr><th scope="row">empty</th><td class="none"><%= it.unset.join(', ') %></td></tr>
<% } %></tbody></table>
<% for (const part of it.parts) { %><h2><%= part.name %></h2>
<%~ include('@cell', part.cell) %>
<% } %>`,
);

eta.loadTemplate(
  '@list',
  `<% for (const { name, values } of it.choices) { %><p class="row"><span><%= name %></span><% for (const value of values) { %><a href="<%= value.href %>"<% if (value.chosen) { %> aria-current="true"<% } %>><%= value.name %></a>
<% } %></p>
<% } %><% if (it.set.length > 0) { %><p class="row"><span>only</span><% for (const filter of it.set) { %><span class="set"><%= filter.name %> = <%= filter.value %><a href="<%= filter.href %>" aria-label="without <%= filter.name %>">×</a></span>
<% } %></p>
<% } %><div class="scroll"><table class="list"><thead><tr>
<% for (const column of it.columns) { %><th scope="col"<% if (column.numeric) { %> class="number"<% } %><% if (column.sorted) { %> aria-sort="<%= column.sorted %>"<% } %>><% if (column.href) { %><a href="<%= column.href %>"><%= column.name %><%= column.sorted === 'ascending' ? ' ↑' : column.sorted === 'descending' ? ' ↓' : '' %></a><% } else { %><%= column.name %><% } %></th>
<% } %></tr></thead><tbody>
`,
);

eta.loadTemplate(
  '@rows',
  `<% for (const row of it.rows) { %><tr><% for (const [at, cell] of row.entries()) { %><td<% if (it.numeric[at]) { %> class="number"<% } else if (cell.kind === 'text' || cell.kind === 'link') { %> class="<%= cell.text.length < 24 ? 'whole' : 'words' %>"<% } %>><%~ include('@cell', cell) %></td><% } %></tr>
<% } %>`,
);

eta.loadTemplate(
  '@listEnd',
  `</tbody></table></div>
<% if (it.empty) { %><p class="empty">There is nothing here.</p>
<% } %><% if (it.pages.length > 0) { %><p class="pages"><% for (const link of it.pages) { %><a href="<%= link.href %>"<% if (link.rel) { %> rel="<%= link.rel %>"<% } %>><%= link.name %></a>
<% } %></p>
<% } %>`,
);

eta.loadTemplate(
  '@cell',
  `<% switch (it.kind) {
case 'none': %><span class="none">–</span><% break;
case 'time': %><time datetime="<%= it.iso %>" title="<%= it.iso %>"><span><%= it.date %></span> <%= it.time %></time><% break;
case 'state': %><span class="state state-<%= it.tone %>"><%= it.text %></span><% break;
case 'link': %><a href="<%= it.href %>"<% if (it.outside) { %> rel="external noreferrer noopener"<% } %>><%= it.text %></a><% break;
case 'long': %><pre><%= '\\n' + it.text %></pre><% break;
case 'colour': %><span class="colour"><svg viewBox="0 0 1 1" aria-hidden="true"><rect width="1" height="1" fill="<%= it.text %>"/></svg><%= it.text %></span><% break;
case 'picture': %><img class="picture" src="<%= it.text %>" alt="" referrerpolicy="no-referrer"><% break;
case 'items': %><span class="items"><% for (const item of it.items) { %><span><%~ include('@cell', item) %></span><% } %></span><% break;
case 'map': %><table class="inner"><tbody><% for (const { name, cells } of it.members) { %><tr><th scope="row"><%= name %></th><% for (const cell of cells) { %><td><%~ include('@cell', cell) %></td><% } %></tr><% } %></tbody></table><% break;
case 'table': %><table class="inner"><thead><tr><% for (const name of it.columns) { %><th scope="col"><%= name %></th><% } %></tr></thead><tbody><% for (const row of it.rows) { %><tr><% for (const cell of row) { %><td><%~ include('@cell', cell) %></td><% } %></tr><% } %></tbody></table><% break;
case 'list': %><%~ include('@list', it.head) %><%~ include('@rows', it.body) %><%~ include('@listEnd', it.end) %><% break;
default: %><%= it.text %><% } %>`,
);

/** Fills in one of the templates; every value is escaped. */
export function fill(template: string, data: object): string {
  return eta.render(template, data);
}

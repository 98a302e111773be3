import { Eta } from 'eta';

const eta = new Eta({ autoEscape: true, cache: true, autoTrim: [false, false], rmWhitespace: false });

eta.loadTemplate(
  '@page',
  `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title><%= it.title %> API</title>
<style><%~ it.style %></style></head>
<body>
<nav><strong><%= it.title %> API</strong>
<h2><a href="../docs">Handbook</a></h2><h2><a href="#first-steps">First steps</a></h2><h2><a href="#conventions">Conventions</a></h2>
<% for (const { name, operations } of it.chapters) { %><h2><a href="#chapter-<%= name %>"><%= name %></a></h2><ul><% for (const each of operations) { %><li><a href="#<%= each.id %>" title="<%= each.summary %>"><span class="method <%= each.method %>"><%= each.method %></span><span><%= each.shortPath %></span></a></li><% } %></ul>
<% } %><h2><a href="#errors">Errors</a></h2></nav>
<main>
<h1><%= it.title %> <small><%= it.version %></small></h1>
<p><%= it.summary %></p>
<p class="soft">The same for programs: <%~ include('@link', { href: it.links.json }) %> and <%~ include('@link', { href: it.links.yaml }) %>. What there is, as pages: <%~ include('@link', { href: it.links.index }) %>. All of them ask who you are.</p>
<h2 id="first-steps">First steps</h2>
<p>The examples on this page take the address of the service from a variable:</p>
<pre><code>HORARIUM=<%= it.address %></code></pre><ol>
<% for (const { text, command } of it.steps) { %><li><%~ include('@inline', { parts: text }) %><pre><code><%= command %></code></pre></li>
<% } %></ol>
<h2 id="conventions">Conventions</h2>
<% for (const text of it.conventions) { %><p><%~ include('@inline', { parts: text }) %></p>
<% } %><% for (const { name, description, operations } of it.chapters) { %><h2 id="chapter-<%= name %>"><%= name %></h2><p class="soft"><%= description %></p>
<% for (const each of operations) { %><%~ include('@operation', each) %><% } %><% } %><h2 id="errors">Errors</h2>
<table><% for (const each of it.errors) { %><tr id="error-<%= each.status %>"><td><strong><%= each.status %></strong> <%= each.title %><span class="soft"><code><%= each.code %></code></span></td>
<td><%= each.description %><details><summary>Example</summary><pre><code><%= each.example %></code></pre></details></td></tr>
<% } %></table>
</main>
</body></html>
`,
);

eta.loadTemplate('@link', `<a href="<%= it.href %>"><code><%= it.href %></code></a>`);

// A sentence cut into parts: plain, strong and code.
eta.loadTemplate(
  '@inline',
  `<% for (const { kind, text } of it.parts) { %><% if (kind === 'plain') { %><%= text %><% } else { %><<%= kind %>><%= text %></<%= kind %>><% } %><% } %>`,
);

// Folded to a line until it is opened.
eta.loadTemplate(
  '@operation',
  `<details class="operation">
<summary><span class="method <%= it.method %>"><%= it.method %></span> <span class="path"><%= it.path %></span> <span class="purpose"><%= it.summary %></span></summary>
<div class="inside" id="<%= it.id %>">
<p class="soft"><%= it.description %></p>
<h4>Example</h4>
<pre><code><%= it.command %></code></pre>
<% if (it.parameters.length > 0) { %><h4>Parameters</h4><%~ include('@fields', { fields: it.parameters }) %>
<% } %><% if (it.body) { %><h4>Body</h4><% if (it.body.description) { %><p><%= it.body.description %></p><% } %><details><summary><%= it.body.fields.length %> fields</summary><%~ include('@fields', { fields: it.body.fields }) %></details>
<% } %><h4>Answers</h4>
<table><% for (const each of it.responses) { %><tr><td><strong><%= each.status %></strong></td><td><%= each.description %><% if (each.headers) { %><span class="soft">With <%= each.headers %>.</span><% } %><% for (const { mime, text } of each.samples) { %><details><summary>Example, <%= mime %></summary><pre><code><%= text %></code></pre></details><% } %></td></tr>
<% } %></table><p class="soft">Errors:<% for (const status of it.errors) { %> <a href="#error-<%= status %>"><%= status %></a><% } %></p>
</div></details>
`,
);

eta.loadTemplate(
  '@fields',
  `<table><% for (const { name, note, description, type } of it.fields) { %><tr><td><code><%= name %></code><% if (note) { %><span class="soft"><%= note %></span><% } %></td><td><%= description %><span class="soft"><%= type %></span></td></tr>
<% } %></table>`,
);

/** Renders the page; every value is escaped. */
export function renderPage(view: object): string {
  return eta.render('@page', view);
}

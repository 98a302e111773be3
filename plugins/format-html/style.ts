import { createHash } from 'node:crypto';

/** The one style of all pages. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: #fcfbf9; --raised: #f4f2ed; --ink: #1e1d1b; --soft: #6d6860; --line: #e3dfd6;
  --link: #1c4f82; --rubric: #9c2f1d;
  --good: #1d6b3c; --late: #8a5a00; --bad: #b02a18; --busy: #1c5f9e; --idle: #6d6860;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #191817; --raised: #22211f; --ink: #e8e5df; --soft: #9d978c; --line: #36332e;
    --link: #8fbbe8; --rubric: #e58a73;
    --good: #76c893; --late: #e0b155; --bad: #f08a76; --busy: #82b7ec; --idle: #9d978c;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0 auto; max-width: 88rem; padding: 0 1.5rem 3rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Helvetica Neue", "Noto Sans", "DejaVu Sans", sans-serif;
  font-variant-numeric: tabular-nums;
}
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; text-underline-offset: 0.18em; }
a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 2px; }
.top { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.25rem 1.75rem; padding: 0.9rem 0; border-bottom: 1px solid var(--line); }
.brand { font-family: "Iowan Old Style", Palatino, "Palatino Linotype", "Book Antiqua", "DejaVu Serif", Georgia, serif; font-size: 1.15rem; color: var(--rubric); letter-spacing: 0.01em; }
.top nav { display: flex; flex-wrap: wrap; gap: 0.1rem 0.7rem; font-size: 0.85rem; flex: 1; }
.top nav a { color: var(--soft); }
.top nav a:nth-child(-n+6) { color: var(--ink); }
.top nav a[aria-current] { color: var(--rubric); font-weight: 600; }
.trail { margin: 1.75rem 0 0; font-size: 0.87rem; color: var(--soft); min-height: 1.3em; }
.head { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 0.25rem 2rem; margin: 0 0 1rem; }
h1 { margin: 0; font-size: 1.65rem; line-height: 1.3; font-weight: 600; letter-spacing: -0.012em; unicode-bidi: isolate; overflow-wrap: anywhere; }
h1 small { font-size: 0.95rem; font-weight: 400; color: var(--soft); letter-spacing: 0; margin-left: 0.5rem; white-space: nowrap; }
h2 { margin: 2.25rem 0 0.6rem; font-size: 1.02rem; font-weight: 600; }
h2 small { font-weight: 400; color: var(--soft); }
.formats, .row { display: flex; flex-wrap: wrap; gap: 0.1rem 0.9rem; font-size: 0.87rem; color: var(--soft); }
.formats [aria-current] { color: var(--soft); }
.row { margin: 0 0 0.35rem; }
.row > span:first-child { min-width: 4.5rem; }
.row [aria-current] { color: var(--ink); font-weight: 600; }
.related { margin: 0 0 1.25rem; }
.set { color: var(--ink); }
.set a { color: var(--soft); margin-left: 0.35rem; }
.scroll { overflow-x: auto; margin: 1rem 0 0; }
table { border-collapse: collapse; }
.list { width: 100%; }
.list th, .list td { padding: 0.4rem 1.1rem 0.4rem 0; text-align: left; vertical-align: baseline; border-bottom: 1px solid var(--line); }
.list th:last-child, .list td:last-child { padding-right: 0; }
.list th { font-size: 0.8rem; font-weight: 500; color: var(--soft); white-space: nowrap; }
.list th a { color: inherit; }
.list th[aria-sort] a { color: var(--ink); }
.list tbody tr:hover { background: var(--raised); }
.list td { max-width: 32rem; overflow-wrap: anywhere; unicode-bidi: isolate; }
.list .whole { overflow-wrap: normal; white-space: nowrap; }
.list .words { min-width: 14rem; }
/* Output is what such a list is for. */
.list td:has(> pre) { width: 100%; max-width: none; min-width: 14rem; }
.number { text-align: right !important; }
.record { width: 100%; }
.record > tbody > tr > th { width: 13rem; padding: 0.4rem 1.5rem 0.4rem 0; font-size: 0.87rem; font-weight: 400; color: var(--soft); text-align: left; vertical-align: baseline; }
.record > tbody > tr > td { padding: 0.4rem 0; overflow-wrap: anywhere; vertical-align: baseline; unicode-bidi: isolate; }
.record > tbody > tr { border-bottom: 1px solid var(--line); }
.inner th, .inner td { padding: 0.1rem 1.25rem 0.1rem 0; text-align: left; vertical-align: baseline; overflow-wrap: anywhere; unicode-bidi: isolate; }
.inner th { font-weight: 400; color: var(--soft); font-size: 0.87rem; }
.inner .inner td { padding-left: 0; }
.list .inner th, .list .inner td { border: 0; }
time { white-space: nowrap; }
time span { color: var(--soft); }
.none { color: var(--soft); opacity: 0.65; }
.state { white-space: nowrap; color: var(--tone); }
.state::before { content: ""; display: inline-block; width: 0.5em; height: 0.5em; margin-right: 0.45em; border-radius: 50%; background: var(--tone); vertical-align: 0.09em; }
.state-good { --tone: var(--good); } .state-late { --tone: var(--late); } .state-bad { --tone: var(--bad); }
.state-busy { --tone: var(--busy); } .state-idle { --tone: var(--idle); }
h1 .state { font-size: 0.95rem; font-weight: 500; margin-left: 0.6rem; letter-spacing: 0; }
.items > span { display: inline-block; max-width: 100%; min-width: 0.9rem; min-height: 1.5em; padding: 0 0.35rem; margin: 0 0.3rem 0.1rem 0; background: var(--raised); border-radius: 3px; vertical-align: top; white-space: pre-wrap; overflow-wrap: anywhere; }
.colour { white-space: nowrap; }
.colour svg { width: 0.8em; height: 0.8em; margin-right: 0.45em; border-radius: 2px; vertical-align: -0.04em; }
.picture { max-width: 16rem; max-height: 6rem; vertical-align: middle; }
pre { margin: 0; padding: 0.75rem 1rem; max-height: 32rem; overflow: auto; background: var(--raised); border-radius: 4px; font: 0.83rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4; unicode-bidi: isolate; }
.empty { color: var(--soft); padding: 1.5rem 0; margin: 0; }
.pages { display: flex; gap: 1.5rem; margin: 1.25rem 0 0; }
.warning { max-width: 46rem; margin: 0 0 1rem; padding-left: 0.75rem; border-left: 3px solid var(--late); overflow-wrap: anywhere; }
.lead { max-width: 46rem; font-size: 1.05rem; margin: 0.25rem 0 1.5rem; overflow-wrap: anywhere; }
footer { margin-top: 3rem; font-size: 0.8rem; color: var(--soft); }
@media (max-width: 44rem) {
  body { padding: 0 1rem 2rem; }
  .top nav { flex: 1 0 100%; flex-wrap: nowrap; overflow-x: auto; padding-bottom: 0.25rem; }
  .trail { margin-top: 1.1rem; }
  h1 { font-size: 1.4rem; }
  .list th, .list td { padding-right: 0.8rem; }
  .list time span { display: block; font-size: 0.8rem; }
  .record > tbody > tr > th, .record > tbody > tr > td { display: block; width: auto; padding-right: 0; }
  .record > tbody > tr > th { padding-bottom: 0; } .record > tbody > tr > td { padding-top: 0; }
}
@media print { .top nav, .formats, .row, .pages { display: none; } }
`;

/** What a page may load: nothing but this very style. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** @param images where pictures of the page come from: `data:` or `https:`. */
export function contentSecurityPolicy(images: readonly string[]): string {
  return images.length === 0 ? policy : `${policy}; img-src ${images.join(' ')}`;
}

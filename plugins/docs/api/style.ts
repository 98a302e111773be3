import { pageStyle } from '../page-style.ts';

/** The stylesheet of the description of the API. */
export const apiStyle = pageStyle(
  `
:root { --get: #1b7f4d; --post: #9a5b00; --delete: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --get: #5cc48e; --post: #e0a64a; --delete: #ff8f86; } }
nav h2 a { color: inherit; text-decoration: none; } nav h2 a:hover { color: var(--accent); }
nav li a { display: flex; gap: .5rem; padding: .1rem .3rem; }
nav li span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
main { padding: 2rem 3rem 6rem; max-width: 62rem; }
h1 { margin: 0; font-size: 2rem; } h1 small { font-size: 1rem; font-weight: 400; color: var(--soft); }
main > h2 { margin: 3.5rem 0 .25rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: 1.5rem; }
h4 { margin: 1.25rem 0 .35rem; font-size: .8rem; letter-spacing: .05em; text-transform: uppercase; color: var(--soft); }
p { margin: .5rem 0; } pre { margin: .4rem 0; } table { width: 100%; }
td { padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
td:first-child { width: 14rem; } td .soft { display: block; font-size: .82rem; }
details.operation { border: 1px solid var(--line); border-radius: .6rem; margin: .6rem 0; }
details.operation > summary { display: grid; grid-template-columns: 4rem minmax(0, 1fr); gap: .1rem .75rem; padding: .65rem 1rem; cursor: pointer;
  list-style: none; align-items: baseline; }
details.operation > summary::-webkit-details-marker { display: none; }
details.operation > summary:hover { background: var(--side); border-radius: .6rem; }
details.operation[open] > summary { border-bottom: 1px solid var(--line); }
summary .path { font: 600 .92rem ui-monospace, monospace; overflow-wrap: anywhere; } summary .purpose { grid-column: 2; color: var(--soft); }
.inside { padding: .25rem 1rem 1rem; scroll-margin-top: 5rem; } details details summary { cursor: pointer; color: var(--accent); font-size: .9rem; padding: .2rem 0; }
.method { font: 700 .72rem/1.7 ui-monospace, monospace; flex: none; width: 3.4rem; text-align: center; border-radius: .25rem;
  border: 1px solid currentColor; } nav .method { border: 0; width: 2.9rem; text-align: left; }
.GET { color: var(--get); } .POST { color: var(--post); } .DELETE { color: var(--delete); }
ol { padding-left: 1.25rem; } ol li { margin: .9rem 0; }
@media (max-width: 60rem) { nav ul { display: none; } nav h2 { display: inline-block; margin: 0 .75rem 0 0; }
  main { padding: 1.25rem 1rem 4rem; } td:first-child { width: 9rem; } }
`,
  'none',
);

import { pageStyle } from '../page-style.ts';

/** The stylesheet of the handbook, whose form searches it. */
export const handbookStyle = pageStyle(
  `
nav .home { margin: 0 0 .75rem; font-weight: 700; font-size: 1.05rem; } nav .home a { color: inherit; text-decoration: none; }
nav li a { display: block; padding: .15rem .5rem; } nav li a[aria-current] { background: var(--line); font-weight: 600; }
input { width: 100%; padding: .45rem .6rem; font: inherit; color: inherit; background: var(--back);
  border: 1px solid var(--line); border-radius: .4rem; }
main { padding: 2rem 3rem 5rem; max-width: 56rem; }
h1, h2, h3 { line-height: 1.25; scroll-margin-top: 1rem; } h1 { margin: 0 0 1rem; font-size: 2rem; }
main h2 { margin: 2.5rem 0 .5rem; font-size: 1.4rem; } main h3 { margin: 1.75rem 0 .4rem; font-size: 1.1rem; }
main :is(h1, h2, h3) > a { color: inherit; text-decoration: none; } main :is(h2, h3) > a:hover::after { content: " #"; color: var(--soft); }
p, ul, ol { margin: .75rem 0; } li { margin: .25rem 0; }
.prompt { color: var(--soft); user-select: none; -webkit-user-select: none; }
table { display: block; overflow-x: auto; margin: 1rem 0; }
th { text-align: left; color: var(--soft); font-weight: 600; }
th, td { padding: .4rem 1rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td:first-child code { white-space: nowrap; }
.results p { margin: .1rem 0 1rem; color: var(--soft); }
.turn { display: flex; justify-content: space-between; gap: 1rem; margin-top: 3.5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
@media (max-width: 60rem) { nav { padding: 1rem; } nav .sections { display: none; } main { padding: 1.25rem 1rem 4rem; } }
@media print { .turn { display: none; } }
`,
  'self',
);

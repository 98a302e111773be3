/** The stylesheet of the handbook: light and dark, for wide screens, phones and print. */
export const style = `
:root { color-scheme: light dark; --text: #1d2430; --soft: #5b6676; --back: #fff; --side: #f6f7f9; --line: #e1e5ea;
  --code: #f3f5f8; --accent: #2457c5; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e8ee; --soft: #9aa6b6; --back: #14181e; --side: #1a1f27;
  --line: #2c333e; --code: #1f252e; --accent: #7ea6ff; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--text); background: var(--back); font: 16px/1.6 system-ui, sans-serif;
  display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.25rem 1rem 3rem; background: var(--side);
  border-right: 1px solid var(--line); font-size: .9rem; }
nav .home { margin: 0 0 .75rem; font-weight: 700; font-size: 1.05rem; } nav .home a { color: inherit; text-decoration: none; }
nav h2 { margin: 1.1rem 0 .2rem; font-size: .75rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: block; padding: .15rem .5rem; border-radius: .3rem; text-decoration: none; color: inherit; }
nav li a:hover { background: var(--line); }
nav li a[aria-current] { background: var(--line); font-weight: 600; }
input { width: 100%; padding: .45rem .6rem; font: inherit; color: inherit; background: var(--back);
  border: 1px solid var(--line); border-radius: .4rem; }
main { padding: 2rem 3rem 5rem; max-width: 56rem; }
h1, h2, h3 { line-height: 1.25; scroll-margin-top: 1rem; } h1 { margin: 0 0 1rem; font-size: 2rem; }
main h2 { margin: 2.5rem 0 .5rem; font-size: 1.4rem; } main h3 { margin: 1.75rem 0 .4rem; font-size: 1.1rem; }
main :is(h1, h2, h3) > a { color: inherit; text-decoration: none; } main :is(h2, h3) > a:hover::after { content: " #"; color: var(--soft); }
p, ul, ol { margin: .75rem 0; } li { margin: .25rem 0; } a { color: var(--accent); } .soft { color: var(--soft); }
code, pre { font: .86rem/1.55 ui-monospace, monospace; } code { background: var(--code); border-radius: .25rem; padding: .08rem .3rem; }
pre { background: var(--code); border-radius: .5rem; padding: .8rem 1rem; overflow-x: auto; } pre code { background: none; padding: 0; }
.prompt { color: var(--soft); user-select: none; -webkit-user-select: none; }
table { border-collapse: collapse; display: block; overflow-x: auto; font-size: .9rem; margin: 1rem 0; }
th { text-align: left; color: var(--soft); font-weight: 600; }
th, td { padding: .4rem 1rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.results p { margin: .1rem 0 1rem; color: var(--soft); }
.turn { display: flex; justify-content: space-between; gap: 1rem; margin-top: 3.5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
@media (max-width: 60rem) { body { display: block; } main { padding: 1.25rem 1rem 4rem; }
  nav { position: static; height: auto; padding: 1rem; border: 0; } nav .sections { display: none; } }
@media print { nav, .turn { display: none; } body { display: block; } }
`;

// No named import: an older Node, which lacks `hash`, would fail to link this module before it is refused.
import crypto from 'node:crypto';

/** The rules that all pages share: colours in light and dark, a column of navigation, code; for wide screens, phones and print. */
const shared = `
:root { color-scheme: light dark; --text: #1d2430; --soft: #5b6676; --back: #fff; --side: #f6f7f9; --line: #e1e5ea;
  --code: #f3f5f8; --accent: #2457c5; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e8ee; --soft: #9aa6b6; --back: #14181e; --side: #1a1f27;
  --line: #2c333e; --code: #1f252e; --accent: #7ea6ff; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--text); background: var(--back); font: 16px/1.6 system-ui, sans-serif;
  display: grid; grid-template-columns: 18rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.25rem 1rem 3rem; background: var(--side);
  border-right: 1px solid var(--line); font-size: .875rem; }
nav h2 { margin: 1.1rem 0 .2rem; font-size: .75rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { border-radius: .3rem; text-decoration: none; color: inherit; } nav li a:hover { background: var(--line); }
a { color: var(--accent); } .soft { color: var(--soft); }
code, pre { font: .86rem/1.55 ui-monospace, monospace; } code { background: var(--code); border-radius: .25rem; padding: .05rem .3rem; }
pre { background: var(--code); border-radius: .5rem; padding: .8rem 1rem; overflow-x: auto; } pre code { background: none; padding: 0; }
table { border-collapse: collapse; font-size: .9rem; }
@media (max-width: 60rem) { body { display: block; } nav { position: static; height: auto; border: 0; } }
@media print { nav { display: none; } body { display: block; } }
`;

/** A stylesheet, and the Content-Security-Policy of a page that has it and needs nothing else. */
export interface PageStyle {
  readonly style: string;
  readonly policy: string;
}

/**
 * Adds the rules of one kind of pages to those that all share.
 * @param formAction where forms of the page may lead.
 */
export function pageStyle(rules: string, formAction: 'none' | 'self'): PageStyle {
  const style = `${shared}${rules}`;
  const source = `'sha256-${crypto.hash('sha256', style, 'base64')}'`;
  const policy = `default-src 'none'; style-src ${source}; base-uri 'none'; form-action '${formAction}'; frame-ancestors 'none'`;
  return { style, policy };
}

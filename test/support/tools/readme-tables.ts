import { readFileSync } from 'node:fs';
import { settingsMarkdown } from '../../../host/config/settings-table.ts';
import { portsMarkdown } from './ports-table.ts';

const core = new URL('../../../../core/index.ts', import.meta.url);

/** Replaces the glossary and the tables of ports and settings in the README by up-to-date ones. */
export function withTables(readme: string): string {
  const tables = { glossary: glossaryMarkdown(), settings: settingsMarkdown(), ports: portsMarkdown() };
  return Object.entries(tables).reduce((text, [name, table]) => withTable(text, name, table), readme);
}

function withTable(readme: string, name: string, table: string): string {
  const marked = new RegExp(`<!-- ${name} -->.*<!-- /${name} -->`, 's');
  return readme.replace(marked, () => `<!-- ${name} -->\n\n${table}\n\n<!-- /${name} -->`);
}

/** The glossary that opens `core/index.ts`: lines of a term and its meaning, two spaces or more apart. */
function glossaryMarkdown(): string {
  const lines = readFileSync(core, 'utf8').matchAll(/^ \* (\S+(?: \S+)*) {2,}(.+)$/gm);
  const rows = [...lines].map(([, term, meaning]) => `| ${term} | ${meaning} |`);
  return ['| Term | Meaning |', '| --- | --- |', ...rows].join('\n');
}

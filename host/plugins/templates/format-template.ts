import type { PluginTemplate } from './plugin-template.ts';

const suffixOf = (name: string) => name.replaceAll('-', '');

/** A format that writes a line for each record, and a list of any length page by page. */
export const formatTemplate: PluginTemplate = {
  summary: (name) => `Writes records as lines of name=value, in responses whose path ends with .${suffixOf(name)}.`,

  plugin: (name) => `import { definePlugin } from '@horarium/core/plugin';

/** Writes a record as one line: id=7 name="nightly backup". */
const line = (record) =>
  \`\${Object.entries(record)
    .map(([name, value]) => \`\${name}=\${JSON.stringify(value)}\`)
    .join(' ')}\\n\`;

export default definePlugin({
  name: '${name}',
  api: 1,
  formats: [
    {
      suffix: '${suffixOf(name)}',
      mime: 'text/plain; charset=utf-8',
      write: (value) => (Array.isArray(value) ? value : [value]).map(line).join(''),
      // Lists of any length (limit=all) come page by page; without this method the format cannot write them.
      async *writeList(pages) {
        for await (const page of pages) yield page.map(line).join('');
      },
    },
  ],
});
`,

  fixtures: (name) => `import { defineFixtures } from '@horarium/core/contracts';

// streamsAsWritten: \`writeList\` writes a list as \`write\` does.
// A format that loses nothing can also be given \`read\`, which parses what it wrote.
export default defineFixtures({ formats: { ${suffixOf(name)}: { streamsAsWritten: true } } });
`,

  use: (name) => [`curl -u admin http://127.0.0.1:8080/api/v1/apps.${suffixOf(name)}`],
};

import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HorariumError } from '@horarium/core';
import { version } from '../version.ts';
import { actionTemplate } from './templates/action-template.ts';
import { calendarRuleTemplate } from './templates/calendar-rule-template.ts';
import { commandTemplate } from './templates/command-template.ts';
import { eventSourceTemplate } from './templates/event-source-template.ts';
import { executorTemplate } from './templates/executor-template.ts';
import { formatTemplate } from './templates/format-template.ts';
import type { PluginTemplate } from './templates/plugin-template.ts';
import { routeTemplate } from './templates/route-template.ts';

/** What a plugin can be written for, with the template of each. */
const pluginTemplates: Readonly<Record<string, PluginTemplate>> = {
  executor: executorTemplate,
  action: actionTemplate,
  'event-source': eventSourceTemplate,
  'calendar-rule': calendarRuleTemplate,
  format: formatTemplate,
  route: routeTemplate,
  command: commandTemplate,
};

/** The kinds of plugins that can be written. */
export const pluginTemplateKinds: readonly string[] = Object.keys(pluginTemplates);

/**
 * Writes the folder of a new plugin: its code, a test, a README and, for a kind with a contract, fixtures. They pass as they are.
 * @returns the paths of the files, relative to the folder.
 * @throws HorariumError `conflict` when the folder exists and is not empty, `bad_request` for an unknown kind or a name that
 *   no package can have.
 */
export async function writeNewPlugin(kind: string, name: string, folder: string): Promise<string[]> {
  const template = Object.hasOwn(pluginTemplates, kind) ? pluginTemplates[kind] : undefined;
  if (!template) {
    const kinds = pluginTemplateKinds.join(', ');
    throw new HorariumError('bad_request', `There is no template for the kind ${kind}: it must be one of ${kinds}.`);
  }
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(name))
    throw new HorariumError(
      'bad_request',
      `The name ${name} must be small letters, digits and hyphens, such as my-${kind}.`,
    );
  await assertEmpty(folder);
  const files: Readonly<Record<string, string>> = {
    'package.json': `${JSON.stringify(manifest(name, template), null, 2)}\n`,
    'plugin.js': template.plugin(name),
    ...(template.fixtures && { 'fixtures.js': template.fixtures(name) }),
    'plugin.test.js': template.test?.() ?? contractTest,
    'README.md': readme(name, template),
  };
  await mkdir(folder, { recursive: true });
  for (const [file, content] of Object.entries(files)) await writeFile(join(folder, file), content, { flag: 'wx' });
  return Object.keys(files);
}

async function assertEmpty(folder: string): Promise<void> {
  const files = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (files.length > 0) throw new HorariumError('conflict', `The folder ${folder} is not empty: nothing was written.`);
}

function manifest(name: string, { summary }: PluginTemplate): object {
  return {
    name,
    version: '0.1.0',
    description: summary(name),
    type: 'module',
    exports: './plugin.js',
    files: ['plugin.js'],
    scripts: { test: 'node --test' },
    // The core of the service that loads the plugin, not one of its own.
    peerDependencies: { '@horarium/core': version },
  };
}

/** Checks what the plugin provides against its contracts. */
const contractTest = `import { test } from 'node:test';
import { systemClock } from '@horarium/core';
import { pluginContract } from '@horarium/core/contracts';
import fixtures from './fixtures.js';
import plugin from './plugin.js';

for (const { title, check } of await pluginContract(plugin, fixtures, systemClock)) test(title, check);
`;

function readme(name: string, { summary, fixtures, use }: PluginTemplate): string {
  return `# ${name}

${summary(name)}

    npm install
    npm test                                 # ${fixtures ? 'the contract of what it provides' : 'what it provides'}
    npx horarium plugin:check .              # the same, as the service loads it

Name it in the settings of the service, and use it:

${[`HORARIUM_PLUGINS=built-in,./${name} npx horarium serve`, ...use(name)].map((line) => `    ${line}`).join('\n')}
`;
}

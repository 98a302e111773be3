import type { PluginTemplate } from './plugin-template.ts';

/** An executor that runs functions of the plugin. */
export const executorTemplate: PluginTemplate = {
  summary: (name) => `Runs functions as jobs whose executor is ${name}; the executable of an App names one of them.`,

  plugin: (name) => `import { defineAsyncExecutor, definePlugin, text } from '@horarium/core/plugin';

/** What jobs can run, by the executable of their App. \`signal\` aborts when the job is cancelled or exceeds its timeout. */
export const functions = {
  async greet({ environment, options, write }) {
    await write(\`\${options.greeting ?? 'Hello'}, \${environment.NAME ?? 'world'}\\n\`);
  },
};

export default definePlugin({
  name: '${name}',
  api: 1,
  executors: () => [
    defineAsyncExecutor({
      name: '${name}',
      options: { greeting: text(100, { description: 'The word to greet by; a template sets it in executor_options.' }) },
      // Apps that name one of them run by this executor, and by no other.
      recognizes: ({ executable }) => Object.hasOwn(functions, executable),
      refusal: ({ executable }) =>
        Object.hasOwn(functions, executable) ? null : { exitCode: 127, reason: \`there is no function \${executable}\` },
      // An error that is thrown fails the job, with its message as the reason; \`return { exitCode: 3 }\` fails it too.
      run: (attempt) => functions[attempt.executable](attempt),
    }),
  ],
});
`,

  fixtures: (name) => `import { once } from 'node:events';
import { defineFixtures } from '@horarium/core/contracts';
import { functions } from './plugin.js';

Object.assign(functions, {
  async succeeds() {},
  fails: async () => ({ exitCode: 3 }),
  async writes({ write }) {
    await write('out');
    await write('err', 'stderr');
  },
  writesMebibyte: ({ write }) => write('x'.repeat(1024 * 1024)),
  runsUntilStopped: ({ signal }) => once(signal, 'abort'),
  echoesStdin: ({ stdin, write }) => write(stdin ?? ''),
  writesGreeting: ({ environment, write }) => write(environment.GREETING),
});
const run = (executable) => ({ executable, arguments: [] });

export default defineFixtures({
  // Options of the plugin itself, if it has some, stand here: options: { … }.
  executors: {
    '${name}': {
      // Options that every attempt gets; those that the executor requires must be among them.
      options: { greeting: 'Good morning' },
      programs: {
        succeeds: run('succeeds'),
        // Ends with exit code 3.
        fails: run('fails'),
        // Writes out to stdout and err to stderr.
        writes: run('writes'),
        writesMebibyte: run('writesMebibyte'),
        runsUntilStopped: run('runsUntilStopped'),
        missing: run('no-such-function'),
        // Without it: traits: { passesStdin: false }.
        echoesStdin: run('echoesStdin'),
        // Writes the environment variable GREETING. Without it: traits: { passesEnvironment: false }.
        writesGreeting: run('writesGreeting'),
      },
    },
  },
});
`,

  use: (name) => [
    'npx horarium company:save --code acme --name Acme',
    'npx horarium app:save --name Greeting --executable greet --set \'environment={"NAME": {"type": "string"}}\'',
    `npx horarium runtemplate:save --name greet --app-id 1 --company-id 1 --interval minutely --executor ${name}`,
  ],
};

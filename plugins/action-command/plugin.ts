import { defineAction, definePlugin, Semaphore, text, texts } from '@horarium/core/plugin';
import { digestInterval, digestOption, messageOptions } from '../messages/message-options.ts';
import { identityOf, programRefusal, runCommand } from './run-command.ts';

/** How many programs run at once. */
const concurrentPrograms = 4;

/** Runs a program of the host for each notice, with the message as its input, as `mail` and `logger` take it. */
export default definePlugin({
  name: 'action-command',
  api: 1,
  options: {
    executables: texts(4096, { description: 'Folders that programs must be in. Empty = anywhere.' }),
    run_as: text(255, { description: 'Operating-system user that programs run as. Null = that of the service.' }),
  },
  // A service whose programs could not run does not start; commands that run none do not need the user.
  start: ({ options: { run_as } }) => void identityOf(run_as),
  actions: ({ options: { executables, run_as } }) => {
    const permits = new Semaphore(concurrentPrograms);
    return [
      defineAction({
        name: 'command',
        adminOnly: true,
        options: {
          program: text(1024, { description: 'The absolute path of the program; no shell runs it.' })
            .matches(/^\//, { message: ({ path }: { path: string }) => `${path} must be an absolute path` })
            .nonNullable()
            .required(),
          arguments: texts(4096, { description: 'One argument each, with the same placeholders as the message.' }),
          ...messageOptions,
          digest: digestOption(0),
        },
        digestInterval,
        refuse: ({ program }) => programRefusal(String(program), executables),
        endpoint: ({ program }) => program,
        deliver: (delivery, signal) =>
          permits.run(() => runCommand(delivery, { executables, identity: identityOf(run_as), signal })),
      }),
    ];
  },
});

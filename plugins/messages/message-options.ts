import { count, type Milliseconds, noticeValueNames, text } from '@horarium/core/plugin';

const names = noticeValueNames.map((name) => `{${name}}`).join(' ');

/** The options of every action that writes to people. */
export const messageOptions = {
  subject: text(500, { description: `The subject, in which these are replaced: ${names}. Null = a sentence.` }),
  text: text(16_384, {
    description: 'The message, in which the same are replaced. Null = what, for whom, why, and a link.',
  }),
};

/** The option of how long further failures of a template are collected. @param seconds by default. */
export function digestOption(seconds: number) {
  return count(seconds, {
    description: 'Seconds for which further failures of a template are collected in one message; 0 = each has its own.',
  });
}

/** Returns how long failures are collected, for the port of actions. */
export function digestInterval({ digest }: { readonly digest: number }): Milliseconds {
  return digest * 1000;
}

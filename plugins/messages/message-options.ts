import { type Milliseconds, noticeValueNames, seconds, text } from '@horarium/core/plugin';

const names = noticeValueNames.map((name) => `{${name}}`).join(' ');

/** The options of every action that writes to people. */
export const messageOptions = {
  subject: text(500, {
    description: `The subject; it may contain the placeholders ${names}. Null = a default sentence.`,
  }),
  text: text(16_384, {
    description:
      'The message; it may contain the same placeholders. Null = a default text: what happened, for whom and why, the end of the output, and a link.',
  }),
};

/** The option of how long further failures of a template are collected. @param initial by default, in seconds. */
export function digestOption(initial: number) {
  return seconds(initial, {
    description:
      'Further failures of a template are collected for this many seconds, then told in one message; 0 = one message each.',
  });
}

/** Returns how long failures are collected, for the port of actions. */
export function digestInterval({ digest }: { readonly digest: number }): Milliseconds {
  return digest * 1000;
}

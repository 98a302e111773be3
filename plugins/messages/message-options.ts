import { noticeValueNames, text } from '@horarium/core/plugin';

const names = noticeValueNames.map((name) => `{${name}}`).join(' ');

/** The options of every action that writes to people. */
export const messageOptions = {
  subject: text(500, { description: `The subject, in which these are replaced: ${names}. Null = a sentence.` }),
  text: text(16_384, {
    description: 'The message, in which the same are replaced. Null = what, for whom, why, and a link.',
  }),
};

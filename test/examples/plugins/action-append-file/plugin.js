import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineAction, definePlugin, noticeText, text } from '@horarium/core/plugin';

/** Appends a line of JSON for each notice to a file, in a folder that only the operator of the service chooses. */
export default definePlugin({
  name: 'action-append-file',
  api: 1,
  options: { folder: text(4096, { description: 'Where the files are.' }).required() },
  actions: ({ options: { folder } }) => [
    defineAction({
      name: 'append-file',
      options: {
        file: text(100, { description: 'The name of the file, without a path.' })
          .required()
          .matches(/^[\w-][\w.-]*$/, 'file must be a name of letters, digits, dots and hyphens'),
      },
      endpoint: ({ file }) => file,
      async deliver({ id, options: { file }, notice }) {
        const { event, occurred_at, company, runtemplate, reason } = notice;
        const line = {
          id,
          event,
          at: new Date(occurred_at),
          company: company.code,
          template: runtemplate.name,
          // What happened, in words; the reason alone is null after a success.
          subject: noticeText(notice).subject,
          reason,
        };
        await appendFile(join(folder, file), `${JSON.stringify(line)}\n`);
        return {};
      },
    }),
  ],
});

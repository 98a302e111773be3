import { definePlugin } from '@horarium/core/plugin';

/** Writes records as newline-delimited JSON, a line each, which `jq -c` and log shippers read: `/jobs.ndjson?limit=all`. */
export default definePlugin({
  name: 'format-ndjson',
  api: 1,
  formats: [
    {
      suffix: 'ndjson',
      mime: 'application/x-ndjson',
      write: (value) => linesOf(Array.isArray(value) ? value : [value]),
      async *writeList(pages) {
        for await (const page of pages) yield linesOf(page);
      },
    },
  ],
});

/** @param {readonly unknown[]} records */
function linesOf(records) {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

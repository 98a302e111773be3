import { gzipSync } from 'node:zlib';
import { definePlugin, type FormatContext } from '@horarium/core/plugin';

/** Builds a compressed tar archive of one file. */
function tarGz(name: string, content: string): Uint8Array {
  const blockSize = 512;
  const data = Buffer.from(content);
  const header = Buffer.alloc(blockSize);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  header.write(name, 0);
  // Mode, owner, group, size and time of modification; then a blank checksum and the type of a regular file.
  header.write(octal(0o644, 7) + octal(0, 7) + octal(0, 7) + octal(data.length, 11) + octal(0, 11), 100);
  header.write('        0', 148);
  header.write('ustar\x0000', 257);
  const checksum = header.reduce((sum, byte) => sum + byte, 0);
  header.write(octal(checksum, 6), 148);
  const padding = (blockSize - (data.length % blockSize)) % blockSize;
  return gzipSync(Buffer.concat([header, data, Buffer.alloc(padding + 2 * blockSize)]));
}

/** Writes an item, or a whole list, as a compressed archive of one JSON file: `/app/1.tar.gz`. */
export default definePlugin({
  name: 'format-archive',
  api: 1,
  formats: [
    {
      suffix: 'tar.gz',
      mime: 'application/gzip',
      headers: (value, { name }: FormatContext) => ({ 'X-Contents': Array.isArray(value) ? `many ${name}` : name }),
      write: (value, { name }) => tarGz(`${name}.json`, JSON.stringify(value)),
      async *writeList(pages) {
        const rows: unknown[] = [];
        for await (const page of pages) rows.push(...page);
        const bytes = tarGz('all.json', JSON.stringify(rows));
        for (let at = 0; at < bytes.length; at += 64) yield bytes.subarray(at, at + 64);
      },
    },
  ],
});

// An older Node is refused before a module asks for what it lacks.
import '#core/node-version';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceRoot } from '../../house/source-files.ts';
import { documentPaths, readDocument, upToDate } from '../docs/documents.ts';

// Brings the tables and programs in the documents up to date: `npm run documents`.
for (const path of documentPaths()) {
  const text = readDocument(path);
  const fresh = await upToDate(text);
  if (fresh === text) continue;
  writeFileSync(join(sourceRoot, path), fresh);
  console.log(path);
}

import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { StaticAssets } from '@horarium/core';
import { assetFolder } from './asset-folder.ts';

export const shopPage = '<!doctype html><html lang="en"><head><base href="/"><title>shop</title></head></html>';
export const shopScript = 'export const answer = 42;\n'.repeat(50);
export const shopPolicy = "default-src 'self'; frame-ancestors 'none'";
/** The content of the files that are not to be served. */
export const unserved = 'a file that no plugin means to serve';
/** The path of the script, whose name holds a hash. */
export const hashedPath = '/assets/app-4OXWDRYX.js';
/** What a browser accepts when a user opens a page. */
export const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

/** The assets of a plugin that has pages at the root and files beneath a path of their own. */
export function shopAssets(): StaticAssets[] {
  return [
    { at: '/', folder: shopFolder(), page: 'index.html', headers: { 'Content-Security-Policy': shopPolicy } },
    { at: '/other', folder: assetFolder({ 'index.html': 'other', 'only.txt': 'only here' }) },
  ];
}

/** The folder of a plugin, with what it must not serve. */
function shopFolder(): string {
  const folder = assetFolder({
    'index.html': shopPage,
    'assets/app-4OXWDRYX.js': shopScript,
    'assets/app-4OXWDRYX.js.br': brotliCompressSync(shopScript),
    'assets/app-4OXWDRYX.js.gz': gzipSync(shopScript),
    'assets/app-4OXWDRYX.js.map': '{}',
    'assets/half.css': 'a { color: red }',
    'assets/half.css.gz': gzipSync('a { color: red }'),
    'logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'favicon.ico': 'icon',
    'app.wasm': 'wasm',
    'site.webmanifest': '{}',
    'notes.txt': 'notes',
    'unknown.zzz': 'bytes',
    'alone.gz': gzipSync('alone'),
    'empty.txt': '',
    'a b/ü&+.txt': 'a name with much to escape',
    'deep/er/est.txt': 'deep',
    '.env': unserved,
    '.git/config': unserved,
    'deep/.hidden.txt': unserved,
  });
  const outside = assetFolder({ 'secret.txt': unserved });
  symlinkSync(join(outside, 'secret.txt'), join(folder, 'link.txt'));
  symlinkSync(outside, join(folder, 'linked'));
  symlinkSync('/', join(folder, 'root'));
  return folder;
}

import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/** Returns the media type of a file by its name. */
export function mediaTypeOf(name: string): string {
  // Loaded when first used, because the list of types is long, and few jobs leave files.
  const { default: mime } = load('mime') as typeof import('mime');
  return mime.getType(name) ?? 'application/octet-stream';
}

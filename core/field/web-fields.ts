import { text } from './fields.ts';

type TextOptions = Parameters<typeof text>[1];

/** Limits inline pictures, so that one cannot fill a page of a list. */
const maxImageLength = 262_144;

/** The https address of a picture, or the picture itself; no SVG, because it may contain scripts. */
export function image(options: TextOptions = {}) {
  return text(maxImageLength, { format: 'image', ...options }).matches(
    /^(?:https:\/\/\S+|data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+)$/i,
    ({ path }: { path: string }) =>
      `${path} must be an https address or a data URI of a PNG, JPEG, GIF or WebP picture`,
  );
}

/** The address of a page, shown as a link. */
export function webAddress(options: TextOptions = {}) {
  return text(2048, { format: 'address', ...options }).matches(
    /^https?:\/\/\S+$/i,
    ({ path }: { path: string }) => `${path} must be an http or https address`,
  );
}

export function email(options: TextOptions = {}) {
  return text(255, { format: 'email', ...options }).email(
    ({ path }: { path: string }) => `${path} must be an e-mail address`,
  );
}

/** A short name for machines: letters, digits, `.`, `_` and `-`, with a letter or digit first. */
export function slug(max: number, options: TextOptions = {}) {
  return text(max, { separable: true, ...options }).matches(
    /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
    ({ path }: { path: string }) => `${path} may hold letters, digits, ".", "_" and "-" only, a letter or digit first`,
  );
}

/** A UUID (RFC 9562), read in either case and stored in lower case, so that one UUID is one text. */
export function uuid(options: TextOptions = {}) {
  const parse = (given: unknown) => (typeof given === 'string' ? given.toLowerCase() : given);
  return text(36, { parse, separable: true, ...options }).matches(
    /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
    ({ path }: { path: string }) => `${path} must be a UUID such as 6f1c2a0e-3b7d-4c58-9a41-0d2e8b5f7c63`,
  );
}

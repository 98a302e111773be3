import { isTooShortToMask } from '../secret/short-secrets.ts';

/** A text with one character for each byte. */
export type ByteString = string;

/** The minimum length at which a line of a secret of several lines is searched for by itself. */
const minLineLength = 8;

/** The maximum of the further spellings, in bytes. All other forms have at most 23 bytes for each byte of a secret. */
export const maxFurther = 1024 * 1024;

const hexDigits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** How much is listed in one step: the bytes of forms, and what each form costs besides them. */
const workPerStep = 32 * 1024;
const workPerForm = 64;

/**
 * Lists the forms in which secrets are searched for, in steps that are short enough for the event loop: each secret, each
 * long line of one that has several, and the encoded forms of those that are not too short.
 */
export function* searchedForms(secrets: readonly string[]): Generator<void, ReadonlySet<ByteString>> {
  const forms = new Set<ByteString>();
  let work = 0;
  for (const form of allForms(secrets, forms)) {
    forms.add(form);
    work += form.length + workPerForm;
    if (work < workPerStep) continue;
    work = 0;
    yield;
  }
  return forms;
}

/** @param listed the forms that were taken before. */
function* allForms(secrets: readonly string[], listed: ReadonlySet<ByteString>): Generator<ByteString, void> {
  for (const secret of secrets) {
    yield utf8(secret);
    for (const line of secret.split(/\r?\n/)) if (line.length >= minLineLength) yield utf8(line);
  }
  const encoded = secrets.filter((secret) => !isTooShortToMask(secret));
  for (const secret of encoded) {
    if (isEscaped(secret)) yield* [utf8(jsonText(secret)), urlText(secret)];
    yield* base64Forms(utf8(secret));
    yield* hexForms(utf8(secret));
  }
  let room = maxFurther;
  for (const secret of encoded.filter(isEscaped))
    for (const form of furtherSpellings(secret)) {
      if (!listed.has(form)) room -= form.length;
      if (room < 0) return;
      yield form;
    }
}

/** Whether a secret has a character that JSON or URLs escape. */
function isEscaped(secret: string): boolean {
  return /[^\w.~-]/.test(secret);
}

/** The ways in which libraries escape a secret in JSON and in URLs, besides the usual ones. */
function* furtherSpellings(secret: string): Generator<ByteString, void> {
  const json = jsonText(secret);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with them.
  const ascii = json.replace(/[^\u0000-\u007f]/g, unicodeEscape);
  yield ascii;
  yield utf8(json.replaceAll('/', '\\/'));
  yield ascii.replaceAll('/', '\\/');
  yield utf8(withReplaced(json, '<>&', unicodeEscape));
  const url = urlText(secret);
  const strict = withReplaced(url, "!'()*", (mark) => `%${hexDigits[mark.charCodeAt(0)]?.toUpperCase()}`);
  for (const text of [url, strict])
    for (const spaced of [text, text.replaceAll('%20', '+')]) {
      yield spaced;
      yield spaced.replace(/(?:%..)+/g, (escaped) => escaped.toLowerCase());
    }
}

function withReplaced(text: string, marks: string, by: (mark: string) => string): string {
  return [...marks].reduce((replaced, mark) => replaced.replaceAll(mark, by(mark)), text);
}

/** A secret inside a JSON text. */
function jsonText(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}

/** A secret inside a URL. */
function urlText(secret: string): ByteString {
  return encodeURIComponent(secret.toWellFormed());
}

/** Escapes one UTF-16 code unit for JSON. */
function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * A secret inside longer data in base64. What is in front of it shifts it by zero to two bytes; in each case only the
 * characters are searched for whose bits all are the secret's own.
 */
function* base64Forms(bytes: ByteString): Generator<ByteString, void> {
  for (const shift of [0, 1, 2]) {
    const from = Math.ceil((shift * 8) / 6);
    const to = Math.floor(((shift + bytes.length) * 8) / 6);
    const form = btoa('\0'.repeat(shift) + bytes).slice(from, to);
    yield form;
    yield form.replaceAll('+', '-').replaceAll('/', '_');
  }
}

function* hexForms(bytes: ByteString): Generator<ByteString, void> {
  let form = '';
  for (let at = 0; at < bytes.length; at++) form += hexDigits[bytes.charCodeAt(at)];
  yield form;
  yield form.toUpperCase();
}

const encoder = new TextEncoder();

function utf8(text: string): ByteString {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with them.
  if (/^[\u0000-\u007f]*$/.test(text)) return text;
  const bytes = encoder.encode(text);
  let string = '';
  for (let at = 0; at < bytes.length; at += 8192) {
    const slice: ArrayLike<number> = bytes.subarray(at, at + 8192);
    // Spreading a typed array takes twenty times as long.
    string += String.fromCharCode.apply(null, slice as number[]);
  }
  return string;
}

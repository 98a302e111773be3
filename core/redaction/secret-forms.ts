import { isTooShortToMask } from '../secret/short-secrets.ts';
import { StepCounter } from './step-counter.ts';

/** A text with one character for each byte. */
export type ByteString = string;

/** The minimum length at which a line of a secret of several lines is searched for by itself. */
const minLineLength = 8;

/** The bytes of encoded forms that are searched for at most. Those of the shortest secrets come first. */
export const maxEncodedBytes = 1024 * 1024;

/** How many bytes of forms are made in one step. */
const bytesPerStep = 64 * 1024;
/** Base64 and hex alone take so many bytes for each byte of a secret. */
const minEncodedShare = 8;

/**
 * Lists what is searched for in order to find secrets, as UTF-8: each secret, each long line of one that has several,
 * and the encoded forms of those that are not too short. It is done in steps.
 * @returns byte strings, each once.
 */
export function* searchedForms(secrets: readonly string[]): Generator<void, ByteString[]> {
  const present = [...new Set(secrets)].filter((secret) => secret.trim() !== '');
  const lines = present.flatMap(longLines);
  const forms = new Set<ByteString>();
  const step = new StepCounter(bytesPerStep);
  for (const text of [...present, ...lines]) {
    forms.add(utf8(text));
    if (step.completes(text.length)) yield;
  }
  let room = maxEncodedBytes;
  for (const secret of shortestFirst(present)) {
    if (isTooShortToMask(secret)) continue;
    const encoded = minEncodedShare * secret.length > room ? [] : encodedForms(secret);
    const size = encoded.reduce((sum, form) => sum + form.length, 0);
    if (size === 0 || size > room) break;
    room -= size;
    for (const form of encoded) forms.add(form);
    if (step.completes(size)) yield;
  }
  return [...forms];
}

/** Returns the lines of a secret that are searched for by themselves. */
function longLines(secret: string): string[] {
  return secret.split(/\r?\n/).filter((line) => line.length >= minLineLength);
}

/** How many characters of a secret decide the first six bytes of each of its forms, and a few more. */
const headLength = 12;

/** Returns the beginnings of all forms in which a secret, or one of its long lines, is searched for. */
export function formHeads(secret: string): ByteString[] {
  const head = secret.slice(0, headLength);
  return [head, ...longLines(secret).map((line) => line.slice(0, headLength))].map(utf8).concat(encodedForms(head));
}

function* shortestFirst(secrets: readonly string[]): Generator<string, void> {
  const byLength = Map.groupBy(secrets, ({ length }) => length);
  for (const length of [...byLength.keys()].sort((one, other) => one - other)) yield* byLength.get(length) ?? [];
}

function encodedForms(secret: string): ByteString[] {
  const bytes = utf8(secret);
  const forms = [...jsonForms(secret).map(utf8), ...urlForms(secret), ...base64Forms(bytes), ...hexForms(bytes)];
  return [...new Set(forms)];
}

/** A secret inside a JSON text, as the usual libraries escape it: with or without `/`, `<`, `>`, `&` and non-ASCII. */
function jsonForms(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with them.
  const ascii = json.replace(/[^\u0000-\u007f]/g, unicodeEscape);
  const withSlashes = [json, ascii].map((text) => text.replaceAll('/', '\\/'));
  return [json, ascii, ...withSlashes, json.replace(/[<>&]/g, unicodeEscape)];
}

/** Escapes one UTF-16 code unit for JSON. */
function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A secret inside a URL or a form: a space as `%20` or `+`, hex digits in either case, `!'()*` encoded or not. */
function urlForms(secret: string): ByteString[] {
  const component = encodeURIComponent(secret.toWellFormed());
  const strict = component.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const escaped = [component, strict].flatMap((text) => [text, text.replaceAll('%20', '+')]);
  return escaped.flatMap((text) => [text, text.replace(/%../g, (hex) => hex.toLowerCase())]);
}

/**
 * A secret inside longer data in base64. What is in front of it shifts it by zero to two bytes; in each case only the
 * characters are searched for whose bits all are the secret's own.
 */
function base64Forms(bytes: ByteString): ByteString[] {
  const standard = [0, 1, 2].map((shift) => {
    const from = Math.ceil((shift * 8) / 6);
    return btoa('\0'.repeat(shift) + bytes).slice(from, Math.floor(((shift + bytes.length) * 8) / 6));
  });
  return [...standard, ...standard.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))];
}

function hexForms(bytes: ByteString): ByteString[] {
  const lower = Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
  return [lower, lower.toUpperCase()];
}

const encoder = new TextEncoder();

function utf8(text: string): ByteString {
  const bytes = encoder.encode(text);
  let string = '';
  for (let at = 0; at < bytes.length; at += 8192) string += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return string;
}

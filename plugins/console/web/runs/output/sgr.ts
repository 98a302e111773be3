/** How text looks that a program has coloured: codes of ECMA-48, its colours among the 16 that terminals name. */
export interface TextStyle {
  readonly color: number | null;
  readonly background: number | null;
  readonly marks: readonly Mark[];
}

type Mark = 'bold' | 'dim' | 'italic' | 'underline' | 'inverse' | 'strike';

export const plain: TextStyle = { color: null, background: null, marks: [] };

/** A part of a line that has a style. */
export interface StyledSpan {
  readonly start: number;
  readonly end: number;
  readonly style: TextStyle;
}

export interface StyledLine {
  readonly text: string;
  readonly spans: readonly StyledSpan[];
  /** The style that the next line begins with. */
  readonly end: TextStyle;
}

const esc = '\u001b';
/** An escape sequence: one of SGR, of another kind, or an operating system command such as a title or a link. */
const sequence = `${esc}(?:\\[([0-?]*)[ -/]*([@-~])|\\][^\\u0007${esc}]*(?:\\u0007|${esc}\\\\|$)|[ -/]*[0-~])`;
/** Control characters, and those that change the direction of the text behind them. */
const control = '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]';
const token = new RegExp(`${sequence}|${control}`, 'gu');
const hasControl = new RegExp(control, 'u');

/**
 * Reads a line of output: escape sequences become styles or nothing, and what could change the page around it becomes visible.
 * Text before a carriage return is overwritten, as on a terminal.
 * @param raw without its line feed.
 */
export function readLine(raw: string, start: TextStyle = plain): StyledLine {
  const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
  if (!hasControl.test(line)) return { text: line, spans: spansOf(start, 0, line.length), end: start };
  let text = '';
  let spans: StyledSpan[] = [];
  let style = start;
  const add = (more: string) => {
    spans.push(...spansOf(style, text.length, text.length + more.length));
    text += more;
  };
  let from = 0;
  for (const match of line.matchAll(token)) {
    add(line.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[0] === '\r') {
      text = '';
      spans = [];
    } else if (match[2] === 'm') style = changed(style, match[1] ?? '');
    else if (match[0].length === 1) add(visible(match[0]));
  }
  add(line.slice(from));
  return { text, spans, end: style };
}

function spansOf(style: TextStyle, start: number, end: number): StyledSpan[] {
  return style === plain || start === end ? [] : [{ start, end, style }];
}

/** Returns a picture of a control character, or its code point. */
function visible(character: string): string {
  const code = character.codePointAt(0) as number;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
}

const begun: Readonly<Record<number, Mark>> = {
  1: 'bold',
  2: 'dim',
  3: 'italic',
  4: 'underline',
  7: 'inverse',
  9: 'strike',
};
const ended: Readonly<Record<number, readonly Mark[]>> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  27: ['inverse'],
  29: ['strike'],
};

function changed(style: TextStyle, parameters: string): TextStyle {
  const codes = parameters.split(/[;:]/).map(Number);
  let { color, background, marks } = style;
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index] as number;
    const mark = begun[code];
    if (code === 0) {
      color = null;
      background = null;
      marks = [];
    } else if (mark) marks = [...marks.filter((each) => each !== mark), mark];
    else if (ended[code]) marks = marks.filter((each) => !ended[code]?.includes(each));
    else if (code === 39) color = null;
    else if (code === 49) background = null;
    else if (code === 38 || code === 48) {
      const length = codes[index + 1] === 2 ? 4 : 2;
      const found = extended(codes.slice(index + 1, index + 1 + length));
      if (code === 38) color = found;
      else background = found;
      index += length;
    } else {
      color = named(code, 30, 90) ?? color;
      background = named(code, 40, 100) ?? background;
    }
  }
  return color === null && background === null && marks.length === 0 ? plain : { color, background, marks };
}

function named(code: number, first: number, firstBright: number): number | null {
  if (code >= first && code < first + 8) return code - first;
  return code >= firstBright && code < firstBright + 8 ? code - firstBright + 8 : null;
}

/** Finds the nearest of the 16 colours, which the page knows in both of its schemes, for one of 256 or of 24 bits. */
function extended([kind, first = 0, green = 0, blue = 0]: readonly number[]): number | null {
  if (kind === 2) return nearest(first, green, blue);
  if (kind !== 5) return null;
  if (first < 16) return first;
  if (first >= 232) return first < 244 ? 8 : 7;
  const cube = first - 16;
  const level = (step: number) => (step === 0 ? 0 : 55 + 40 * step);
  return nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

function nearest(red: number, green: number, blue: number): number {
  const top = Math.max(red, green, blue);
  if (top < 48) return 0;
  const bit = (value: number, weight: number) => (value > top / 2 ? weight : 0);
  return bit(red, 1) + bit(green, 2) + bit(blue, 4) + (top > 200 ? 8 : 0);
}

/** Returns the classes that show a style. */
export function classOf({ color, background, marks }: TextStyle): string {
  const colors = [
    ...(color === null ? [] : [`ink-${color}`]),
    ...(background === null ? [] : [`ground-${background}`]),
  ];
  return [...colors, ...marks].join(' ');
}

/*
 * Writes text as roff, in the macros of man(7). The libraries that make manual pages of Markdown leave lines that begin
 * with a dot or a quote and hyphens as they are: a command that is copied from such a page does not run.
 */

/** Characters that roff, or a terminal that shows it, takes for others. */
const special: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  '"': '\\(dq',
};

/** Escapes a text: it is shown as it is, wherever it stands. White space becomes one space. */
export function plain(text: string): string {
  return escaped(text.replaceAll(/\s+/g, ' ').trim());
}

export function bold(text: string): string {
  return `\\fB${plain(text)}\\fR`;
}

export function italic(text: string): string {
  return `\\fI${plain(text)}\\fR`;
}

/** A section; its title is written in capitals. @param body written roff. */
export function section(title: string, ...body: readonly string[]): string {
  return [`.SH ${plain(title.toUpperCase())}`, ...body].join('\n');
}

/** A part of a section. @param body written roff. */
export function subsection(title: string, ...body: readonly string[]): string {
  return [`.SS ${plain(title)}`, ...body].join('\n');
}

/** @param line written roff. */
export function paragraph(line: string): string {
  return `.PP\n${line}`;
}

/** A term and, indented below it, what it means and what belongs to it. All are written roff. */
export function item(term: string, meaning: string, ...more: readonly string[]): string {
  const parts = more.length === 0 ? [] : ['.RS', ...more, '.RE'];
  return ['.TP', term, meaning, ...parts].join('\n');
}

/** Lines that are shown as they are, in a fixed width where there is one. */
export function literal(text: string): string {
  return ['.PP', '.EX', ...text.split('\n').map(escaped), '.EE'].join('\n');
}

function escaped(text: string): string {
  const line = text.replaceAll(/[\\\-'`^~"]|[^\x20-\x7e]/gu, (character) => {
    return special[character] ?? `\\[u${codeOf(character)}]`;
  });
  // A dot begins a request at the begin of a line only.
  return line.startsWith('.') ? `\\&${line}` : line;
}

function codeOf(character: string): string {
  return (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
}

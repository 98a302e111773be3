import { marked, type Token, type Tokens } from 'marked';

/** What a reader of a page does, in order: a file to save, or a command to run. */
export type PageStep =
  | { readonly kind: 'file'; readonly name: string; readonly text: string }
  | { readonly kind: 'command'; readonly command: string };

/**
 * Finds the files and commands of a page. A paragraph that ends with "as `NAME`:" makes a file of the block of code after it;
 * a block of the language `console` holds commands, each after `$ `, with its continuation lines, and what they print.
 */
export function pageSteps(markdown: string): PageStep[] {
  const steps: PageStep[] = [];
  let name: string | undefined;
  for (const token of blocksOf(marked.lexer(markdown))) {
    if (token.type !== 'code') {
      [, name] = /as `([\w./-]+)`:$/.exec(token.raw.trim()) ?? [];
      continue;
    }
    const { text, lang } = token as Tokens.Code;
    if (name) steps.push({ kind: 'file', name, text: `${text}\n` });
    else if (lang === 'console')
      steps.push(...commandsOf(text).map((command) => ({ kind: 'command', command }) as const));
    name = undefined;
  }
  return steps;
}

/** Lists the commands of a page. */
export function pageCommands(markdown: string): string[] {
  return pageSteps(markdown).flatMap((step) => (step.kind === 'command' ? [step.command] : []));
}

/** The blocks of a document, those inside lists included, without comments and blank lines. */
function blocksOf(tokens: readonly Token[]): Token[] {
  return tokens.flatMap((token) => {
    if (token.type === 'list') return (token as Tokens.List).items.flatMap((item) => blocksOf(item.tokens));
    return token.type === 'space' || token.type === 'html' ? [] : [token];
  });
}

function commandsOf(text: string): string[] {
  return [...text.matchAll(/^\$ ((?:.*\\\n)*.*)$/gm)].map(([, command]) => command as string);
}

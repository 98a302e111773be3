/** Returns a text as searches compare it: in small letters, without accents. */
export function fold(text: string): string {
  const plain = isAscii(text) ? text : text.normalize('NFD').replaceAll(/\p{M}/gu, '');
  return plain.toLowerCase();
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}

/** The rank of a record whose title is what is searched for, without anything else. */
const wholeTitle = -0.5;

/** Where a word was found: the less, the better. */
const ranks = { titleBegins: 0, titleWord: 1, otherBegins: 2, otherWord: 3, inside: 4, context: 5 } as const;

/** The folded texts of a record. */
export interface SearchedTexts {
  readonly title: string;
  /** Its other texts. */
  readonly others: readonly string[];
  /** What it belongs to. */
  readonly context: string;
}

/** Ranks a record that has each of some folded words, in any order; the less, the better. Null = it lacks one. */
export function rankOf(words: readonly string[], texts: SearchedTexts): number | null {
  if (words.join(' ') === texts.title) return wholeTitle;
  let sum = 0;
  for (const word of words) {
    const rank = rankOfWord(word, texts);
    if (rank === null) return null;
    sum += rank;
  }
  return sum;
}

function rankOfWord(word: string, { title, others, context }: SearchedTexts): number | null {
  const inTitle = placeOf(word, title);
  if (inTitle === 'begins') return ranks.titleBegins;
  if (inTitle === 'word') return ranks.titleWord;
  const places = others.map((text) => placeOf(word, text));
  if (places.includes('begins')) return ranks.otherBegins;
  if (places.includes('word')) return ranks.otherWord;
  if (inTitle === 'inside' || places.includes('inside')) return ranks.inside;
  return context.includes(word) ? ranks.context : null;
}

type Place = 'begins' | 'word' | 'inside';

/** Returns the best place at which a text has a word; null where it has none. */
function placeOf(word: string, text: string): Place | null {
  let at = text.indexOf(word);
  if (at <= 0) return at === 0 ? 'begins' : null;
  for (; at > 0; at = text.indexOf(word, at + 1)) if (!/[\p{L}\p{N}]/u.test(text.charAt(at - 1))) return 'word';
  return 'inside';
}

import { marked, type Token, type Tokens } from 'marked';

/** Lists the links in a part of a document. */
export function linksIn(tokens: Token[]): Tokens.Link[] {
  const links: Tokens.Link[] = [];
  void marked.walkTokens(tokens, (token) => {
    if (token.type === 'link') links.push(token as Tokens.Link);
  });
  return links;
}

import { text } from '@horarium/core/plugin';

/** An option with the URL that requests go to. It is stored as a secret, because who has it can often use it. */
export function urlOption(description: string) {
  return text(2048, { secret: 'encrypted', description })
    .nonNullable()
    .test(
      'url',
      ({ path }: { path: string }) =>
        `${path} must be a complete address such as https://example.com/hook, without credentials`,
      (given) => given === undefined || given === null || isWebUrl(given),
    );
}

function isWebUrl(given: string): boolean {
  if (!URL.canParse(given)) return false;
  const { protocol, username, password } = new URL(given);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** Returns the part of a URL that is no secret. */
export function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'no address';
}

/**
 * The part of an address that somebody who is given one has to themselves: all of an IPv4 address, the first half of
 * an IPv6 one. Whoever guesses from IPv6 has 2^64 addresses to come from.
 */
export function clientNetwork(address: string): string {
  if (!address.includes(':')) return address;
  const [before = '', after] = address.toLowerCase().replace(/%.*$/, '').split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  const zeros = after === undefined ? 0 : Math.max(0, 8 - head.length - tail.length);
  const groups = [...head, ...Array<string>(zeros).fill('0'), ...tail].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`;
}

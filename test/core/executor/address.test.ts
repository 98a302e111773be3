import { expect } from 'chai';
import fc from 'fast-check';
import { replacePlaceholders } from '#core/app/placeholder';
import { originOf, originVariables, savedOrigin } from '#core/executor/address';

describe('The address of a request', () => {
  for (const [url, origin] of [
    ['https://Shop.example.com:443/cron?x=1', 'https://shop.example.com'],
    ['http:\\\\shop.example.com:8080\\cron', 'http://shop.example.com:8080'],
    ['https:shop.example.com', 'https://shop.example.com'],
    ['https://user@shop.example.com/', 'https://shop.example.com'],
    ['https://shop.example.com@attacker.example.com/', 'https://attacker.example.com'],
    ['https://{HOST}/cron', 'https://{host}'],
  ] as const)
    it(`${url} has the origin ${origin}`, () => expect(originOf(url)).to.equal(origin));

  for (const [url, keys] of [
    ['https://{HOST}/cron?shop={SHOP}', ['HOST']],
    ['https://{HOST}:${PORT}/{PATH}#{PART}', ['HOST', 'PORT']],
    ['{SCHEME}://{HOST}/x', ['SCHEME', 'HOST']],
    ['{URL}', ['URL']],
    ['https:/{HOST}/cron', ['HOST']],
    ['https:\\\\{HOST}\\cron', ['HOST']],
    ['https:{HOST}', ['HOST']],
    ['https://shop.example.com{PATH}', ['PATH']],
    ['https://shop.example.com/{PATH}', []],
    ['https://shop.example.com?{QUERY}', []],
  ] as const)
    it(`${url} is decided by ${keys.join(' and ') || 'no variable'}`, () =>
      expect([...originVariables(url)]).to.deep.equal(keys));

  it('is decided by the variables in the values of its variables too', () => {
    const values = [{ HOST: '{SHOP}.example.com', SHOP: '{OTHER}' }, { HOST: '${REGION}.example.com' }];
    expect([...originVariables('https://{HOST}/{PATH}', ...values)]).to.deep.equal(['HOST', 'SHOP', 'REGION']);
    expect(savedOrigin('https://{HOST}/', { HOST: '{SHOP}.example.com', SHOP: 'a' })).to.equal('https://a.example.com');
    expect([...originVariables('https://{constructor}/')]).to.deep.equal(['constructor']);
  });

  it('has an origin that no other variable changes', () => {
    const piece = fc.constantFrom('https:', '//', '/', '\\', '{A}', '{B}', '?', '#', '@', ':', 'host.example', '.');
    const value = fc.array(fc.constantFrom('x', '/', '\\', '@', ':', '?', '#', '.', '80'), { maxLength: 4 });
    const urls = fc.array(piece, { maxLength: 8 }).map((pieces) => `https://${pieces.join('')}`);
    const values = value.map((parts) => parts.join(''));
    fc.assert(
      fc.property(urls, values, values, (url, value, other) => {
        const origin = (B: string) => originOf(replacePlaceholders(url, (key) => (key === 'B' ? B : 'a.example')));
        fc.pre(!originVariables(url).has('B'));
        expect(origin(other)).to.equal(origin(value));
      }),
    );
  });
});

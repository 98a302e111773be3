import { expect } from 'chai';
import { TrustedProxies } from '../../../adapters/http/security/networks.ts';

describe('TrustedProxies', () => {
  it('knows addresses and blocks of both families, also IPv4 in IPv6 clothes', () => {
    const proxies = new TrustedProxies(['10.0.0.0/8', '192.0.2.1', '2001:db8::/32', '::1']);
    for (const address of ['10.255.0.1', '192.0.2.1', '2001:db8:1::5', '::1', '::ffff:10.0.0.1'])
      expect(proxies.includes(address), address).to.equal(true);
    for (const address of ['11.0.0.1', '192.0.2.2', '2001:db9::1', '::2', '', 'nonsense', '::ffff:11.0.0.1'])
      expect(proxies.includes(address), address).to.equal(false);
  });

  for (const entry of [
    'all',
    '*',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0',
    '::/129',
    '0.0.0.0/0',
    '::/0',
    '',
  ])
    it(`refuses "${entry}" by name`, () => {
      expect(() => new TrustedProxies([entry])).to.throw(`"${entry}"`);
    });
});

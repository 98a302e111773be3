import { expect } from 'chai';
import { clientNetwork, TrustedProxies } from '../../../../adapters/http/security/networks.ts';

describe('Trusted proxies', () => {
  it('match addresses and CIDR blocks of both families, also IPv4 mapped into IPv6', () => {
    const proxies = new TrustedProxies(['10.0.0.0/8', '192.0.2.1', '2001:db8::/32', '::1']);
    for (const address of ['10.255.0.1', '192.0.2.1', '2001:db8:1::5', '::1', '::ffff:10.0.0.1'])
      expect(proxies.includes(address), address).to.equal(true);
    for (const address of ['11.0.0.1', '192.0.2.2', '2001:db9::1', '::2', '', 'nonsense', '::ffff:11.0.0.1'])
      expect(proxies.includes(address), address).to.equal(false);
  });

  it('are those of IPv4 also where the entry maps them into IPv6', () => {
    const proxies = new TrustedProxies(['::ffff:192.0.2.1', '::ffff:a00:0/104']);
    for (const address of ['192.0.2.1', '10.1.2.3', '::ffff:10.1.2.3'])
      expect(proxies.includes(address), address).to.equal(true);
    for (const address of ['192.0.2.2', '11.0.0.1', '::1']) expect(proxies.includes(address), address).to.equal(false);
  });

  for (const entry of [
    '::ffff:0.0.0.0/96',
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
    it(`refuse "${entry}", naming it`, () => {
      expect(() => new TrustedProxies([entry])).to.throw(`"${entry}"`);
    });
});

describe('The network of a client', () => {
  for (const [address, network] of [
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1::/64'],
    ['2001:DB8:0:1::', '2001:db8:0:1::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['2001:db8::1', '2001:db8::/64'],
    ['::1', '::/64'],
    ['::', '::/64'],
    ['no address', 'no address'],
  ] as const)
    it(`is ${network} for ${address}`, () => {
      expect(clientNetwork(address)).to.equal(network);
    });
});

import { expect } from 'chai';
import fc from 'fast-check';
import { AddressGuard } from '../../../plugins/outbound-http/address-guard.ts';

describe('The guard of outbound addresses', () => {
  const guard = new AddressGuard([]);

  for (const address of ['93.184.216.34', '8.8.8.8', '2606:2800:220:1::1', '::ffff:8.8.8.8'])
    it(`allows the public address ${address}`, () => {
      expect(guard.allows(address)).to.equal(true);
    });

  const refused = [
    ...['127.0.0.1', '127.1.2.3', '0.0.0.0', '10.0.0.1', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1'],
    ...['224.0.0.1', '255.255.255.255', '192.0.2.1', '198.18.0.1', '240.0.0.1'],
    ...['::1', '::', 'fe80::1', 'fe80::1%eth0', 'fd00::1', 'ff02::1', '2001:db8::1', '64:ff9b::a00:1', '2002:7f00:1::'],
    ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::7f00:1', '::10.0.0.1', '', 'localhost', '127.1', '2130706433'],
  ];
  for (const address of refused)
    it(`refuses ${address || 'no address'}`, () => {
      expect(guard.allows(address)).to.equal(false);
    });

  it('allows the networks that the operator names, and no others', () => {
    const allowing = new AddressGuard(['10.1.0.0/16', '127.0.0.1', 'fd00:1::/32']);
    const allowed = ['10.1.2.3', '127.0.0.1', '::ffff:10.1.2.3', 'fd00:1::7', '8.8.8.8'];
    expect(allowed.filter((address) => !allowing.allows(address))).to.deep.equal([]);
    const others = ['10.2.0.1', '127.0.0.2', 'fd00:2::1', '::1', '169.254.169.254'];
    expect(others.filter((address) => allowing.allows(address))).to.deep.equal([]);
  });

  it('refuses every address of 127.0.0.0/8, however it is mapped into IPv6', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    const property = fc.property(byte, byte, byte, (b, c, d) => {
      const mapped = `::ffff:7f${b.toString(16).padStart(2, '0')}:${(c * 256 + d).toString(16)}`;
      return !guard.allows(`127.${b}.${c}.${d}`) && !guard.allows(mapped) && !guard.allows(`::127.${b}.${c}.${d}`);
    });
    fc.assert(property);
  });

  for (const text of ['10.0.0.0/33', 'example.com', '', '10.0.0.0/x', '1.2.3', '::/129'])
    it(`refuses "${text}" as an allowed network, naming it`, () => {
      expect(() => new AddressGuard([text])).to.throw(`The allowed network "${text}" is neither`);
    });
});

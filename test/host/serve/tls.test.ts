import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { RenewOnHangup } from '../../../host/serve/tls.ts';

describe('RenewOnHangup', () => {
  it('renews the certificate at each SIGHUP, and keeps the old one when the new one is unusable', async () => {
    const signals = new EventEmitter();
    const said: string[] = [];
    let fails = false;
    const renew = async () => {
      if (fails) throw new Error('no certificate');
    };
    const lines = {
      tlsRenewed: () => void said.push('renewed'),
      tlsKept: (error: unknown) => void said.push((error as Error).message),
    };
    const renewals = new RenewOnHangup(signals, renew, lines);
    for (const wrong of [false, true, false]) {
      fails = wrong;
      signals.emit('SIGHUP');
      await renewals.done;
    }
    expect(said).to.deep.equal(['renewed', 'no certificate', 'renewed']);
    renewals[Symbol.dispose]();
    expect(signals.listenerCount('SIGHUP')).to.equal(0);
  });
});

import { visibleControls } from '@horarium/core/plugin';
import { expect } from 'chai';
import fc from 'fast-check';

describe('visibleControls', () => {
  it('shows pictures of control characters, and leaves lines and tabs as they are', () => {
    expect(visibleControls('a\u0000\u001b[31m\u007f\tb\r\nc')).to.equal('a␀␛[31m␡\tb\r\nc');
    expect(visibleControls('\u0085\u009f\ufffe\uffff\ufdd0\u{1fffe}\ud83d')).to.equal('�������');
  });

  it('changes nothing that can be read', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => visibleControls(text) === text));
  });
});

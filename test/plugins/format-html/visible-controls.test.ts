import { expect } from 'chai';
import fc from 'fast-check';
import { visibleControls } from '../../../plugins/format-html/visible-controls.ts';

describe('visibleControls', () => {
  it('replaces control characters with their symbols, except tabs and line ends', () => {
    expect(visibleControls('a\u0000\u001b[31m\u007f\tb\r\nc')).to.equal('a␀␛[31m␡\tb\r\nc');
    expect(visibleControls('\u0085\u009f\ufffe\uffff\ufdd0\u{1fffe}\ud83d')).to.equal('�������');
  });

  it('leaves readable text unchanged', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => visibleControls(text) === text));
  });
});

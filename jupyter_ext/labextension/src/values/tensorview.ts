import { Widget } from '@lumino/widgets';

import { count, h } from '../dom';
import { IPeak, ITensor, IValue } from '../kernel/protocol';
import { figure, shape } from './valuetable';

/** Asks for a slice of a tensor, that of its largest difference where `at` is null. */
type Ask = (name: string, at: number[] | null) => Promise<{ content: ITensor; bytes: Uint8Array[] }>;

/** Low, middle and high values; differences go from nothing to the last. */
const COLOURS = [
  [47, 91, 208],
  [242, 242, 242],
  [217, 72, 15]
];
const WRONG = [214, 39, 40];

/** One tensor: its two pictures and their difference, slice by slice, and where they are apart. */
export class TensorView extends Widget {
  constructor(private _ask: Ask) {
    super({ node: h('div', { className: 'tf-Tensor', hidden: true }) });
  }

  /** Look into a value; nothing where it is null. */
  async display(value: IValue | null, target: string): Promise<void> {
    this._value = value;
    this._target = target;
    this.node.hidden = !value;
    if (!value) {
      return;
    }
    this._figures = h('div', { className: 'tf-Tensor-figures' });
    this._note = h('div', { className: 'tf-Note' }, value.held ? '' : notHeld(value));
    this._sliders = [];
    this.node.setAttribute('aria-label', value.name);
    this._title = h('div', { className: 'tf-Tensor-title' }, h('code', {}, value.name), ` ${shape(value)}`);
    this.node.replaceChildren(
      this._title,
      h('div', { className: 'tf-Note', hidden: !value.reason }, value.reason),
      this._note,
      this._figures
    );
    if (value.held) {
      await this._show(null);
    }
  }

  /** Show a slice. While an answer is on its way, any number of moves make one more question. */
  private async _show(at: number[] | null): Promise<void> {
    const value = this._value;
    if (!value) {
      return;
    }
    this._next = { at };
    if (this._asking) {
      return;
    }
    this._asking = true;
    try {
      while (this._next && this._value) {
        const { at } = this._next;
        const { name } = this._value;
        this._next = null;
        const { content, bytes } = await this._ask(name, at);
        if (this._value?.name === name) {
          this._draw(content, bytes);
        }
      }
    } catch (error) {
      this._note.textContent = (error as Error).message;
    } finally {
      this._asking = false;
    }
  }

  private _draw(tensor: ITensor, bytes: Uint8Array[]): void {
    if (!this._sliders.length) {
      this._sliders = tensor.at.map((place, dimension) => this._slider(tensor, dimension, place));
      this._note.replaceChildren(...where(tensor.peak, this._target));
      this._note.after(
        h('div', { className: 'tf-Tensor-sliders' }, ...this._sliders.map(each => each.parentElement))
      );
    }
    const numbers = bytes.map(each => new Float32Array(each.buffer));
    const { low, high, most, drawn } = tensor;
    const middle = low < 0 && high > 0 ? 0 : (low + high) / 2;
    const reach = Math.max(high - middle, middle - low) || 1;
    const value = (x: number) => blend((x - middle) / reach);
    const ends = `${Number(low.toPrecision(5))} … ${Number(high.toPrecision(5))}`;
    const smaller = drawn.join() === tensor.slice.join() ? '' : `, drawn as ${drawn.join('×')}`;
    this._figures.replaceChildren(
      picture(numbers[0], drawn, value, 'torch', ends),
      picture(numbers[1], drawn, value, this._target, ends),
      picture(numbers[2], drawn, x => fade(x / (most || 1)), 'difference', `0 … ${figure(most)}`),
      h('div', { className: 'tf-Tensor-slice' }, `slice [${[...tensor.at, ':', ':'].slice(-tensor.shape.length).join(', ')}]: ${tensor.slice.join('×')}${smaller}`)
    );
  }

  private _slider(tensor: ITensor, dimension: number, place: number): HTMLInputElement {
    const size = tensor.shape[dimension];
    const said = h('output', {}, String(place));
    const slider = h('input', {
      type: 'range',
      min: '0',
      max: String(size - 1),
      'aria-label': `Index in dimension ${dimension}`,
      disabled: size < 2,
      oninput: () => {
        said.textContent = slider.value;
        void this._show(this._sliders.map(each => Number(each.value)));
      }
    });
    slider.value = String(place);
    h('label', {}, `dim ${dimension}`, slider, said, ` of ${size}`);
    return slider;
  }

  private _asking = false;
  private _figures: HTMLElement = h('div');
  private _next: { at: number[] | null } | null = null;
  private _note: HTMLElement = h('div');
  private _sliders: HTMLInputElement[] = [];
  private _target = '';
  private _title: HTMLElement = h('div');
  private _value: IValue | null = null;
}

/**
 * Return the position at which a tensor's two values differ most, and whether the differences are
 * all at one index of a dimension.
 */
function where(peak: IPeak, target: string): (HTMLElement | string)[] {
  if (!peak.near) {
    return ['Every element is the same.'];
  }
  const place = peak.index.length ? `at [${peak.index.join(', ')}]` : '';
  const most = `Largest difference ${place}: torch ${peak.torch}, ${target} ${peak.target}.`;
  const spans = peak.spans
    .map(([size, indices, first, last], dimension) => {
      if (size < 2 || indices === size) {
        return '';
      }
      const span = first === last ? `at ${first}` : `at ${indices} of ${size}, from ${first} to ${last}`;
      return `dimension ${dimension} ${span}`;
    })
    .filter(Boolean);
  const near = `${count(peak.near, 'element')} with at least a tenth of that difference`;
  const said = spans.length ? `${near}: ${spans.join('; ')}.` : `${near}, throughout the tensor.`;
  return [h('div', {}, most), h('div', {}, peak.near > 1 ? said : '')];
}

function notHeld({ shape, verdict }: IValue): string {
  return shape?.length && verdict !== 'not checked'
    ? 'The kernel does not have its elements: the shapes differ, there are too many elements, or another process has them.'
    : '';
}

function picture(
  numbers: Float32Array,
  [rows, columns]: number[],
  colour: (value: number) => number[],
  word: string,
  ends: string
): HTMLElement {
  const canvas = h('canvas', { width: columns, height: rows, role: 'img' });
  canvas.setAttribute('aria-label', `${word}: ${rows} by ${columns} elements, ${ends}`);
  // A vector is a strip.
  canvas.style.aspectRatio = `${columns} / ${Math.max(rows, columns / 12)}`;
  const pixels = new ImageData(columns, rows);
  numbers.forEach((value, index) => pixels.data.set(colour(value), index * 4));
  canvas.getContext('2d')?.putImageData(pixels, 0, 0);
  return h('figure', {}, canvas, h('figcaption', {}, h('b', {}, word), ` ${ends}`));
}

/** Return the colour of a value between -1 and 1; NaN is transparent. */
function blend(share: number): number[] {
  if (Number.isNaN(share)) {
    return [0, 0, 0, 0];
  }
  const end = COLOURS[share < 0 ? 0 : 2];
  const part = Math.min(1, Math.abs(share));
  return [...COLOURS[1].map((each, index) => each + (end[index] - each) * part), 255];
}

/** From faint at a thousandth of the largest difference to full, as the saved picture has it. */
function fade(share: number): number[] {
  const part = share > 0 ? Math.min(1, Math.max(0.06, 1 + Math.log10(share) / 3)) : 0;
  return [...WRONG, 255 * part];
}

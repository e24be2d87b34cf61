import cytoscape from 'cytoscape';

import { h } from '../../dom';

/** It is at most so large, in pixels, and takes at most so much of the room. */
const MOST = 120;
const SHARE = 0.3;
const MARGIN = 4;

/** All that is unfolded, small, with a frame around what is in sight; a press goes there. */
export class Minimap {
  constructor(private _cy: cytoscape.Core) {
    this.node = h('div', { className: 'tf-Modules-minimap', 'aria-hidden': 'true' }, this._canvas);
    const press = (event: PointerEvent) => {
      if (event.buttons & 1) {
        this._go(event.offsetX, event.offsetY);
      }
    };
    this.node.addEventListener('pointerdown', press);
    this.node.addEventListener('pointermove', press);
    this._cy.on('viewport', () => this._later());
  }

  readonly node: HTMLElement;

  /** Redraw it after a change of the graph. */
  update(): void {
    this._stale = true;
    this._later();
  }

  dispose(): void {
    cancelAnimationFrame(this._frame);
  }

  private _later(): void {
    cancelAnimationFrame(this._frame);
    this._frame = requestAnimationFrame(() => this._draw());
  }

  private _draw(): void {
    if (!this._cy.width()) {
      return;
    }
    if (this._stale) {
      this._stale = false;
      this._paint();
    }
    const pen = this._canvas.getContext('2d')!;
    const { x1, y1, w, h: high } = this._cy.extent();
    pen.clearRect(0, 0, this._canvas.width, this._canvas.height);
    pen.drawImage(this._picture, 0, 0);
    const box = this._bounds;
    const all = x1 <= box.x1 && y1 <= box.y1 && x1 + w >= box.x2 && y1 + high >= box.y2;
    this.node.hidden = all || !this._cy.nodes().length;
    pen.strokeStyle = '#f9a825';
    pen.lineWidth = 2;
    pen.strokeRect(this._x(x1), this._y(y1), w * this._scale, high * this._scale);
  }

  /** Only the boxes: at this size no line is visible. */
  private _paint(): void {
    let [x1, y1, x2, y2] = [Infinity, Infinity, -Infinity, -Infinity];
    const boxes = this._cy.nodes().map(node => {
      const { x, y } = node.position();
      const [w, high] = [node.data('width'), node.data('height')];
      x1 = Math.min(x1, x - w / 2);
      x2 = Math.max(x2, x + w / 2);
      y1 = Math.min(y1, y - high / 2);
      y2 = Math.max(y2, y + high / 2);
      return { x: x - w / 2, y: y - high / 2, w, h: high, node };
    });
    if (!boxes.length) {
      return;
    }
    this._bounds = { x1, y1, x2, y2 };
    this._scale = Math.min(
      Math.min(MOST, this._cy.width() * SHARE) / (x2 - x1),
      Math.min(MOST, this._cy.height() * SHARE) / (y2 - y1)
    );
    for (const canvas of [this._canvas, this._picture]) {
      canvas.width = (x2 - x1) * this._scale + 2 * MARGIN;
      canvas.height = (y2 - y1) * this._scale + 2 * MARGIN;
    }
    const pen = this._picture.getContext('2d')!;
    for (const { x, y, w, h: high, node } of boxes) {
      pen.fillStyle = node.data('colour');
      pen.globalAlpha = node.hasClass('open') ? 0.15 : 1;
      pen.fillRect(
        this._x(x),
        this._y(y),
        Math.max(1, w * this._scale),
        Math.max(1, high * this._scale)
      );
    }
  }

  private _go(x: number, y: number): void {
    const { x1, y1 } = this._bounds;
    const zoom = this._cy.zoom();
    const at = { x: (x - MARGIN) / this._scale + x1, y: (y - MARGIN) / this._scale + y1 };
    this._cy.pan({
      x: this._cy.width() / 2 - at.x * zoom,
      y: this._cy.height() / 2 - at.y * zoom
    });
  }

  private _x(x: number): number {
    return MARGIN + (x - this._bounds.x1) * this._scale;
  }

  private _y(y: number): number {
    return MARGIN + (y - this._bounds.y1) * this._scale;
  }

  private _bounds = { x1: 0, y1: 0, x2: 1, y2: 1 };
  private _canvas = h('canvas');
  private _frame = 0;
  private _picture = h('canvas');
  private _scale = 1;
  private _stale = true;
}

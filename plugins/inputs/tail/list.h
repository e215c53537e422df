// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace logweir::tail {

template <typename T>
class List;

// A member of T that chains it into at most one List; leaves it when destroyed.
template <typename T>
class Hook {
 public:
  explicit Hook(T* owner) : owner_(owner) {}
  Hook(const Hook&) = delete;
  Hook& operator=(const Hook&) = delete;
  ~Hook() { leave(); }
  [[nodiscard]] bool linked() const { return next_ != nullptr; }
  void leave() {
    if (!linked()) return;
    next_->previous_ = previous_;
    previous_->next_ = next_;
    next_ = previous_ = nullptr;
  }

 private:
  friend class List<T>;
  T* owner_;
  Hook* previous_ = nullptr;
  Hook* next_ = nullptr;
};

// Resource. A ring of hooks; owns nothing. All of it O(1).
template <typename T>
class List {
 public:
  List() : head_(nullptr) { head_.previous_ = head_.next_ = &head_; }
  List(const List&) = delete;
  List& operator=(const List&) = delete;
  ~List() {
    while (!empty()) head_.next_->leave();
    head_.previous_ = head_.next_ = nullptr;
  }
  [[nodiscard]] bool empty() const { return head_.next_ == &head_; }
  [[nodiscard]] T* front() const { return empty() ? nullptr : head_.next_->owner_; }
  void push_back(Hook<T>& hook) {
    hook.leave();
    hook.previous_ = head_.previous_;
    hook.next_ = &head_;
    head_.previous_->next_ = &hook;
    head_.previous_ = &hook;
  }
  // The one behind, or nullptr.
  [[nodiscard]] T* after(const Hook<T>& hook) const { return hook.next_ == &head_ ? nullptr : hook.next_->owner_; }

 private:
  Hook<T> head_;
};

}  // namespace logweir::tail

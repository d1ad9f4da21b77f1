// SPDX-License-Identifier: BSD-3-Clause
// The environment of the pretended libraries:
//   FAKE_CUDA_LOG    a file that gets a line a call, and at the end the bytes that are still allocated
//   FAKE_CUDA_FAIL   call:number:result; the call with that number, from 1, gives that result. After a result from 700
//                    on every call gives it
//   FAKE_CUDA_MEMORY bytes of the device
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

namespace fake {

class Recorder {
public:
    static Recorder& get() {
        static Recorder* const recorder = new Recorder;
        return *recorder;
    }

    /// Notes the call. @return what it must give; 0: what it gives
    int call(const char* name, const std::string& text = {}) {
        const std::lock_guard lock(mutex_);
        note(name + (text.empty() ? "" : " " + text));
        if (final_ != 0 && std::strncmp(name, "nvrtc", 5) != 0 && std::strncmp(name, "cuGetError", 10) != 0)
            return final_;
        if (name != fails_ || ++calls_ != number_) return 0;
        if (result_ >= 700) final_ = result_;
        return result_;
    }

    void note(const std::string& line) {
        if (log_ == nullptr) return;
        std::fprintf(log_, "%s\n", line.c_str());
        std::fflush(log_);
    }

private:
    Recorder() {
        if (const char* const file = std::getenv("FAKE_CUDA_LOG")) log_ = std::fopen(file, "a");
        const char* const fail = std::getenv("FAKE_CUDA_FAIL");
        if (fail == nullptr) return;
        const std::string text = fail;
        const std::size_t first = text.find(':'), second = text.find(':', first + 1);
        fails_ = text.substr(0, first);
        number_ = std::atoi(text.c_str() + first + 1);
        result_ = std::atoi(text.c_str() + second + 1);
    }

    std::mutex mutex_;
    std::FILE* log_ = nullptr;
    std::string fails_;
    int calls_ = 0, number_ = 0, result_ = 0, final_ = 0;
};

}  // namespace fake
